package i18n

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"galla/shared/money"
)

func TestFormats(t *testing.T) {
	book, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	w := book.Localizer(English)
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
		if got := w.AmountInWords(money.Paise(p)); got != want[1] {
			t.Errorf("spell(%d) = %q, want %q", p, got, want[1])
		}
	}
	if got := ShortRupees(500_00); got != "₹500" {
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
		if got := w.ShortTime(at, now); got != want {
			t.Errorf("clock(%s) = %q, want %q", at, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-time.Hour: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "1 min", 25*time.Hour + 61*time.Second: "25 h 1 min",
	} {
		if got := w.Duration(d); got != want {
			t.Errorf("span(%s) = %q, want %q", d, got, want)
		}
	}
}

// TestSpell: amounts in words in all languages.
func TestSpell(t *testing.T) {
	book, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	amounts := []money.Paise{1_00, 21_00, 100_00, 101_00, 500_00, 1_000_00, 1_250_50, 2_999_00, 10_000_00, 1_23_456_00}
	for code, want := range map[string][]string{
		"hi": {"एक रुपया", "इक्कीस रुपये", "एक सौ रुपये", "एक सौ एक रुपये", "पाँच सौ रुपये", "एक हज़ार रुपये", "एक हज़ार दो सौ पचास रुपये और पचास पैसे",
			"दो हज़ार नौ सौ निन्यानवे रुपये", "दस हज़ार रुपये", "एक लाख तेईस हज़ार चार सौ छप्पन रुपये"},
		"mr": {"एक रुपया", "एकवीस रुपये", "शंभर रुपये", "एकशे एक रुपये", "पाचशे रुपये", "एक हजार रुपये", "एक हजार दोनशे पन्नास रुपये आणि पन्नास पैसे",
			"दोन हजार नऊशे नव्याण्णव रुपये", "दहा हजार रुपये", "एक लाख तेवीस हजार चारशे छप्पन्न रुपये"},
		"bn": {"এক টাকা", "একুশ টাকা", "একশো টাকা", "একশো এক টাকা", "পাঁচশো টাকা", "এক হাজার টাকা", "এক হাজার দুশো পঞ্চাশ টাকা পঞ্চাশ পয়সা",
			"দুই হাজার নশো নিরানব্বই টাকা", "দশ হাজার টাকা", "এক লাখ তেইশ হাজার চারশো ছাপ্পান্ন টাকা"},
		"te": {"ఒక రూపాయి", "ఇరవై ఒక్క రూపాయలు", "వంద రూపాయలు", "నూట ఒక్క రూపాయలు", "ఐదు వందల రూపాయలు", "వెయ్యి రూపాయలు", "వెయ్యి రెండు వందల యాభై రూపాయలు యాభై పైసలు",
			"రెండు వేల తొమ్మిది వందల తొంభై తొమ్మిది రూపాయలు", "పది వేల రూపాయలు", "లక్షా ఇరవై మూడు వేల నాలుగు వందల యాభై ఆరు రూపాయలు"},
		"ta": {"ஒரு ரூபாய்", "இருபத்து ஒரு ரூபாய்", "நூறு ரூபாய்", "நூற்று ஒரு ரூபாய்", "ஐநூறு ரூபாய்", "ஆயிரம் ரூபாய்", "ஆயிரத்து இருநூற்று ஐம்பது ரூபாய் ஐம்பது பைசா",
			"இரண்டு ஆயிரத்து தொள்ளாயிரத்து தொண்ணூற்று ஒன்பது ரூபாய்", "பத்து ஆயிரம் ரூபாய்", "ஒரு லட்சத்து இருபத்து மூன்று ஆயிரத்து நானூற்று ஐம்பத்து ஆறு ரூபாய்"},
	} {
		w := book.Localizer(code)
		for i, p := range amounts {
			if got := w.AmountInWords(p); got != want[i] {
				t.Errorf("%s: Spell(%d) = %q, want %q", code, p, got, want[i])
			}
		}
		// The hundred words all differ.
		below := strings.Split(w.Text("number.below100"), ",")
		seen := map[string]int{}
		for n, word := range below {
			if other, ok := seen[word]; ok {
				t.Errorf("%s: %d and %d are both %q", code, other, n, word)
			}
			seen[word] = n
		}
	}
}

// TestMatch: the browser's language, or English.
func TestMatch(t *testing.T) {
	book, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for accept, want := range map[string]string{
		"": "en", "hi": "hi", "hi-IN,hi;q=0.9,en;q=0.8": "hi", "ta-LK": "ta", "fr,mr;q=0.5": "mr", "fr": "en", "en-IN,hi;q=0.5": "en",
		"bn-Beng-IN": "bn", "te-IN;q=0.1": "te", ";;;": "en", "ur": "en", "gu,en;q=0.1": "en",
	} {
		if got := book.Match(accept).Code(); got != want {
			t.Errorf("Match(%q) = %s, want %s", accept, got, want)
		}
	}
	if got := book.Localizer("xx").Code(); got != English {
		t.Errorf("In(xx) speaks %s", got)
	}
}

func catalogue(owner string, texts map[string]string) Catalogue {
	files := fstest.MapFS{}
	for code, text := range texts {
		files["messages/"+code+".json"] = &fstest.MapFile{Data: []byte(text)}
	}
	return Catalogue{Owner: owner, Files: files}
}

func TestLoadRefuses(t *testing.T) {
	good := catalogue("a", map[string]string{"en": `{"a.x": "X {n}", "a.many": {"one": "{n} day", "other": "{n} days"}}`})
	for name, c := range map[string]struct {
		all  []Catalogue
		want string
	}{
		"two owners": {[]Catalogue{good, catalogue("b", map[string]string{"en": `{"a.x": "Y"}`})}, "texts of a and of b"},
		"twice":      {[]Catalogue{catalogue("b", map[string]string{"en": `{"b": "1", "c": {"one": "x", "one": "y", "other": "z"}, "b": "2"}`})}, `duplicate object member name "one"`},
		"no JSON":    {[]Catalogue{catalogue("b", map[string]string{"en": `{"b"`})}, "messages/en.json"},
		"none":       {[]Catalogue{catalogue("b", nil)}, "read messages/en.json"},
		"own":        {[]Catalogue{catalogue("b", map[string]string{"en": `{"time.day": "x"}`})}, "texts of i18n and of b"},
	} {
		if _, err := Load(c.all...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	book, err := Load(good)
	if err != nil {
		t.Fatal(err)
	}
	w := book.Localizer("ta")
	if got := w.Text("a.x", "n", 5); got != "X 5" {
		t.Errorf("a text that Tamil lacks: %q", got)
	}
	if got := w.Plural("a.many", 1); got != "1 day" {
		t.Errorf("one: %q", got)
	}
	if got := w.Plural("a.many", 0); got != "0 days" {
		t.Errorf("none: %q", got)
	}
	if got := w.Text("no.such"); got != "no.such" {
		t.Errorf("a key without a text: %q", got)
	}
	if got := w.Text(w.FirstKey("no.such", "a.x"), "n", "{n}"); got != "X {n}" {
		t.Errorf("First: %q", got)
	}
}

// FuzzMatch: any Accept-Language gets a language.
func FuzzMatch(f *testing.F) {
	book, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Add("hi-IN,hi;q=0.9,en;q=0.8")
	f.Fuzz(func(t *testing.T, accept string) {
		if !IsSupported(book.Match(accept).Code()) {
			t.Errorf("Match(%q) speaks nothing", accept)
		}
	})
}
