package screen

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// english is the catalogue that all others are measured against.
func english(t *testing.T) *words {
	t.Helper()
	w, err := loadWords("en")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// families are keys that code puts together: TestTold and TestReaderErrors walk
// them.
var families = []string{"told.", "rd.", "kind.", "fact.", "step.", "number.", "receipt.paper."}

var (
	templateKey = regexp.MustCompile(`\b([tn]) "([^"]+)"`)
	codeKey     = regexp.MustCompile(`"([a-z]+(?:\.[a-z0-9-]+)+)"`)
)

// TestCatalogue: every text that a page asks for is there, and every text that
// is there is asked for.
func TestCatalogue(t *testing.T) {
	w := english(t)
	used := map[string]bool{}
	use := func(key string, counted bool) {
		if counted {
			for _, form := range []string{".one", ".other"} {
				used[key+form] = true
			}
			return
		}
		used[key] = true
	}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch {
		case strings.HasSuffix(path, ".html"):
			for _, m := range templateKey.FindAllStringSubmatch(string(b), -1) {
				use(m[2], m[1] == "n")
			}
		case strings.HasSuffix(path, ".go"):
			for _, m := range codeKey.FindAllStringSubmatch(string(b), -1) {
				if w.has(m[1]) {
					use(m[1], false)
				}
				if w.has(m[1] + ".other") {
					use(m[1], true)
				}
				if strings.HasPrefix(m[1], "error.") && w.has(m[1]+".title") {
					use(m[1]+".title", false)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range used {
		if !w.has(key) {
			t.Errorf("messages/en.json has no text for %s", key)
		}
	}
	for key := range w.text {
		dynamic := slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(key, f) })
		if !used[key] && !dynamic {
			t.Errorf("no page asks for %s", key)
		}
	}
}

// TestTold: each kind has its words for each case.
func TestTold(t *testing.T) {
	s, err := New(newFake(), testConfig())
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]func(*edge.View){
		"ready": func(v *edge.View) { v.State, v.Stage = op.Reserved, edge.StageReady },
		"problem": func(v *edge.View) {
			v.State, v.Stage, v.Problem = op.Reserved, edge.StageReady, &edge.CaptureError{Message: "M."}
		},
		"capturing": func(v *edge.View) { v.State, v.Stage = op.Reserved, edge.StageCapturing },
		"waiting":   func(v *edge.View) { v.State, v.Stage = op.Queued, edge.StageSending },
		"sending":   func(v *edge.View) { v.State, v.Stage = op.Sent, edge.StageSending },
		"bank":      func(v *edge.View) { v.State, v.Stage = op.Accepted, edge.StageBank },
		"asking":    func(v *edge.View) { v.State, v.Stage = op.Unknown, edge.StageAsking },
		"pending":   func(v *edge.View) { v.State = op.Pending },
		"succeeded": func(v *edge.View) { v.State = op.Succeeded },
		"declined":  func(v *edge.View) { v.State, v.Result.Code = op.Failed, "51" },
		"unreached": func(v *edge.View) { v.State = op.Failed },
		"reversed":  func(v *edge.View) { v.State = op.Reversed },
		"expired":   func(v *edge.View) { v.State = op.Expired },
		"not-sent":  func(v *edge.View) { v.State = op.NotSent },
	}
	st := edge.Status{Now: fakeNow}
	for of, alter := range states {
		for _, k := range append(slices.Clone(kinds), dayKind, otherKind) {
			v := cashOp(alter)
			v.Route = k.Route
			v.Result.Balance = paise(1)
			got := s.tell(v, st)
			if got.Case != of {
				t.Errorf("%s: case %s", of, got.Case)
			}
			for _, text := range []string{got.Title, got.Lead, got.Word} {
				if text == "" || strings.HasPrefix(text, "told.") || strings.ContainsAny(text, "{}") {
					t.Errorf("%s %s: %q", k.Name, of, text)
				}
			}
			// Nothing but a success of a withdrawal looks like giving.
			if (got.Tone == toneGive || got.Icon == "give" || strings.HasPrefix(got.Title, "GIVE")) != (of == "succeeded" && k.Route == op.Withdrawal) {
				t.Errorf("%s %s looks like giving cash: %+v", k.Name, of, got)
			}
		}
	}
	// A state that this version does not know never looks like a success.
	if got := s.tell(cashOp(func(v *edge.View) { v.State = "new" }), st); got.Tone != toneWait || !strings.HasPrefix(got.Title, "DO NOT GIVE CASH") {
		t.Errorf("an unknown state: %+v", got)
	}
}

// TestCatalogueFile: a key that stands twice hides a text.
func TestCatalogueFile(t *testing.T) {
	b, err := messageFiles.ReadFile("messages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	seen, depth := map[string]bool{}, 0
	for key := ""; d.More() || depth == 0; {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		text, ok := token.(string)
		switch {
		case !ok:
			depth++
		case key == "":
			if key = text; seen[key] {
				t.Errorf("%s stands twice", key)
			}
			seen[key] = true
		default:
			if strings.TrimSpace(text) == "" || text != strings.TrimSpace(text) {
				t.Errorf("%s: %q", key, text)
			}
			key = ""
		}
	}
	if w := english(t); len(seen) != len(slices.Collect(maps.Keys(w.text))) {
		t.Errorf("%d keys in the file, %d in the catalogue", len(seen), len(w.text))
	}
}

func TestFormats(t *testing.T) {
	w := english(t)
	for p, want := range map[int64][2]string{
		0: {"₹0.00", "zero rupees"}, 1_00: {"₹1.00", "one rupee"}, 500_00: {"₹500.00", "five hundred rupees"},
		500_97: {"₹500.97", "five hundred rupees and ninety-seven paise"}, 19_00: {"₹19.00", "nineteen rupees"},
		1_250_50:  {"₹1,250.50", "one thousand two hundred fifty rupees and fifty paise"},
		10_000_00: {"₹10,000.00", "ten thousand rupees"}, 1_23_456_00: {"₹1,23,456.00", "one lakh twenty-three thousand four hundred fifty-six rupees"},
		12_34_56_789_01:  {"₹12,34,56,789.01", "twelve crore thirty-four lakh fifty-six thousand seven hundred eighty-nine rupees and one paise"},
		150_00_00_000_00: {"₹1,50,00,00,000.00", "one hundred fifty crore rupees"}, -5_00: {"−₹5.00", ""},
	} {
		if got := rupees(money.Paise(p)); got != want[0] {
			t.Errorf("rupees(%d) = %q, want %q", p, got, want[0])
		}
		if got := w.spell(money.Paise(p)); got != want[1] {
			t.Errorf("spell(%d) = %q, want %q", p, got, want[1])
		}
	}
	if got := short(500_00); got != "₹500" {
		t.Errorf("short: %q", got)
	}
	for text, want := range map[string]int64{"500": 500_00, " ₹ 1,23,456.70 ": 1_23_456_70, "0.5": 50} {
		if got, err := parseRupees(text); err != nil || int64(got) != want {
			t.Errorf("parseRupees(%q) = %d, %v", text, got, err)
		}
	}
	midnight := time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC) // the day begins in India
	for at, want := range map[time.Time]string{
		fakeNow: "10:14", midnight: "00:00", midnight.Add(-time.Second): "20 Nov, 23:59", {}: "",
	} {
		if got := w.clock(at, fakeNow); got != want {
			t.Errorf("clock(%s) = %q, want %q", at, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Hour: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "1 min", 25*time.Hour + 61*time.Second: "25 h 1 min",
	} {
		if got := w.span(d); got != want {
			t.Errorf("span(%s) = %q, want %q", d, got, want)
		}
	}
}

func TestReadStatement(t *testing.T) {
	entries, balance := readStatement([]string{
		"12/11 UPI/SHARMA STORES D 250.00", "14/11 MGNREGA WAGES     C 2,310.00", "1/1 X D 5", "  20/11   AEPS CASH WDL    D 500.5  ", "",
		"NEFT CHARGES REVERSAL", "12/11 NO AMOUNT D", "12/11 D D 1.00", "12/11 BIG C 99999999999999999999", "balance: +12450.75",
	})
	want := []entry{
		{Date: "12/11", Narration: "UPI/SHARMA STORES", Amount: "₹250.00"}, {Date: "14/11", Narration: "MGNREGA WAGES", Credit: true, Amount: "₹2,310.00"},
		{Date: "1/1", Narration: "X", Amount: "₹5.00"}, {Date: "20/11", Narration: "AEPS CASH WDL", Amount: "₹500.50"},
		{Raw: "NEFT CHARGES REVERSAL"}, {Raw: "12/11 NO AMOUNT D"}, {Date: "12/11", Narration: "D", Amount: "₹1.00"}, {Raw: "12/11 BIG C 99999999999999999999"},
	}
	if !slices.Equal(entries, want) || balance != "₹12,450.75" {
		t.Errorf("got  %+v, %s\nwant %+v", entries, balance, want)
	}
	if entries, balance := readStatement(nil); entries != nil || balance != "" {
		t.Error("nothing gave something")
	}
	if _, balance := readStatement([]string{"Balance:-5.00"}); balance != "−₹5.00" {
		t.Errorf("a negative balance is %q", balance)
	}
}

// FuzzReadStatement: whatever a bank sends, no line is lost: it is an entry, as
// it came or read, or the balance.
func FuzzReadStatement(f *testing.F) {
	f.Add("12/11 UPI/SHARMA STORES D 250.00\nBalance:+12450.75")
	f.Add("12/11  C 1\n\xff\nBalance:x\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		entries, balance := readStatement(lines)
		want := 0
		for _, line := range lines {
			if strings.TrimSpace(line) != "" {
				want++
			}
		}
		balances := 0
		for _, line := range lines {
			if _, ok := cutPrefixFold(strings.TrimSpace(line), "balance:"); ok {
				balances++
			}
		}
		if len(entries) > want || len(entries) < want-balances || (balance != "" && balances == 0) {
			t.Errorf("%d lines with %d balances gave %d entries, balance %q", want, balances, len(entries), balance)
		}
		for _, e := range entries {
			if e.Raw == "" && (e.Date == "" || !strings.HasPrefix(e.Amount, "₹")) {
				t.Errorf("%+v", e)
			}
		}
	})
}
