package search

import (
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"Money cut, no cash!": {"money", "cut", "no", "cash"},
		"Aadhaar 100":         {"adhar", "100"},
		"customer's":          {"customers"},
		"पैसा कट गया।":        {"पैसा", "कट", "गया"},
		"ग़लत पिन":            {"गलत", "पिन"},
		"गलत":                 {"गलत"},
		"उँगली":               {"उंगली"},
		"స్టేట్\u200cమెంట్":   {"స్టేట్మెంట్"},
		" ,.? ":    {},
		"U3 -1307": {"u3", "1307"},
	} {
		if got := Words(text); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		typed, word string
		least, most float64
	}{
		{"finger", "finger", 1, 1},
		{"fing", "finger", 0.4, 0.75},
		{"printing", "print", 0.4, 0.75},
		{"fingre", "finger", 0.7, 0.7},          // changed places
		{"finer", "finger", 0.7, 0.7},           // missing
		{"fingerr", "finger", 0.4, 0.7},         // surplus at the end
		{"finhger", "finger", 0.7, 0.7},         // surplus
		{"fimger", "finger", 0.7, 0.7},          // wrong
		{"fnigre", "finger", 0, 0},              // two faults
		{"fingreprnt", "fingerprint", 0.5, 0.5}, // two in a long word
		{"figreprnt", "fingerprint", 0, 0},
		{"cat", "cut", 0, 0},  // too short to be misspelt
		{"f", "finger", 0, 0}, // too short to be a beginning
		{"no", "not", 0.4, 0.75},
		{"10", "100", 0, 0}, // numbers match as a whole
		{"1307", "1306", 0, 0},
		{"பணத்தை", "பணம்", 0, 0},
		{"வங்கியில்", "வங்கி", 0.4, 0.75},
	} {
		if got := match([]rune(c.typed), []rune(c.word)); got < c.least || got > c.most {
			t.Errorf("match(%q, %q) = %v, want %v to %v", c.typed, c.word, got, c.least, c.most)
		}
	}
}

func TestFind(t *testing.T) {
	x := New(
		Text{"cash", []Part{{3, "Money cut, no cash"}, {1, "The bank gives the money back"}}},
		Text{"finger", []Part{{3, "Finger not read"}, {1, "Clean the glass; no money moved"}}},
		Text{"printer", []Part{{3, "The receipt does not print"}, {2, "paper"}}},
	)
	for query, want := range map[string]string{
		"money cut no cash":  "cash",
		"NO CASH":            "cash",
		"finger":             "finger",
		"figner not raed":    "finger",
		"pri":                "printer",
		"paper empty":        "printer",
		"zzz":                "",
		"":                   "",
		"!":                  "",
		"elephant rides zzz": "",
	} {
		got := x.Find(query, 5)
		if want == "" && got != nil || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("Find(%q) = %q, want %q first", query, got, want)
		}
	}
	if got := x.Find("money", 1); len(got) != 1 {
		t.Errorf("one text was asked for: %q", got)
	}
	if got := New().Find("money", 1); got != nil {
		t.Errorf("an empty index found %q", got)
	}
}

// A query of any length is answered at once.
func TestLongQuery(t *testing.T) {
	x := New(Text{"cash", []Part{{1, "cash"}}})
	long := "cash "
	for range 12 {
		long += long
	}
	if got := x.Find(long, 1); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}
