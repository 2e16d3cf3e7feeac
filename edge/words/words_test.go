package words

import (
	"testing"
	"time"

	"galla/shared/money"
)

func TestFormats(t *testing.T) {
	book, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	w := book.In(English)
	now := time.Date(2026, 11, 21, 4, 44, 0, 0, time.UTC)
	for p, want := range map[int64][2]string{
		0: {"₹0.00", "zero rupees"}, 1_00: {"₹1.00", "one rupee"}, 500_00: {"₹500.00", "five hundred rupees"},
		500_97: {"₹500.97", "five hundred rupees and ninety-seven paise"}, 19_00: {"₹19.00", "nineteen rupees"},
		1_250_50:  {"₹1,250.50", "one thousand two hundred fifty rupees and fifty paise"},
		10_000_00: {"₹10,000.00", "ten thousand rupees"}, 1_23_456_00: {"₹1,23,456.00", "one lakh twenty-three thousand four hundred fifty-six rupees"},
		12_34_56_789_01:  {"₹12,34,56,789.01", "twelve crore thirty-four lakh fifty-six thousand seven hundred eighty-nine rupees and one paise"},
		150_00_00_000_00: {"₹1,50,00,00,000.00", "one hundred fifty crore rupees"}, -5_00: {"−₹5.00", ""},
	} {
		if got := Rupees(money.Paise(p)); got != want[0] {
			t.Errorf("Rupees(%d) = %q, want %q", p, got, want[0])
		}
		if got := w.Spell(money.Paise(p)); got != want[1] {
			t.Errorf("spell(%d) = %q, want %q", p, got, want[1])
		}
	}
	if got := Short(500_00); got != "₹500" {
		t.Errorf("short: %q", got)
	}
	for text, want := range map[string]int64{"500": 500_00, " ₹ 1,23,456.70 ": 1_23_456_70, "0.5": 50} {
		if got, err := ParseRupees(text); err != nil || int64(got) != want {
			t.Errorf("parseRupees(%q) = %d, %v", text, got, err)
		}
	}
	midnight := time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC) // the day begins in India
	for at, want := range map[time.Time]string{
		now: "10:14", midnight: "00:00", midnight.Add(-time.Second): "20 Nov, 23:59", {}: "",
	} {
		if got := w.Clock(at, now); got != want {
			t.Errorf("clock(%s) = %q, want %q", at, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Hour: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "1 min", 25*time.Hour + 61*time.Second: "25 h 1 min",
	} {
		if got := w.Span(d); got != want {
			t.Errorf("span(%s) = %q, want %q", d, got, want)
		}
	}
}
