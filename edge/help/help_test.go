package help

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"galla/edge/codes"
	"galla/edge/told"
	"galla/edge/web/webtest"
	"galla/edge/words"
)

func catalogue() words.Catalogue { return words.Catalogue{Room: "help", Files: files} }

func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(catalogue()) {
		t.Error(fault)
	}
}

// Every code that the counter knows has an entry in every language, and only
// the approval does not begin with what must not happen.
func TestEveryCode(t *testing.T) {
	book, err := words.Load(catalogue(), told.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	h := New()
	for _, code := range []string{"100", "220", "700", "710", "720", "730", "740", "750", "760", "770", "900", "999", "-1307", "-1509"} {
		if !slices.Contains(h.reader, code) {
			t.Errorf("reader's code %s has no entry", code)
		}
	}
	for _, l := range words.Languages() {
		w := book.In(l.Code)
		var all []string
		for _, e := range slices.Concat(h.Reader(w), h.Face(w), bankEntries(w)) {
			if e.Says == "" || e.Do == "" || strings.HasPrefix(e.Says, "help.") || strings.HasPrefix(e.Do, "help.") {
				t.Errorf("%s: %+v has no text", l.Code, e)
			}
			all = append(all, strings.Fields(e.Codes)...)
		}
		if want := len(h.reader) + len(h.face) + len(codes.All()); len(all) != want {
			t.Errorf("%s: %d codes, want %d", l.Code, len(all), want)
		}
		no := w.Say("code.no.cash")
		for _, code := range append(codes.All(), codes.Of("ZZ"), codes.Of(""), codes.Of("\u202e9<9")) {
			e := bankEntry(w, code)
			if code.Class != codes.Approved && !strings.HasPrefix(e.Do, no+" ") || strings.HasPrefix(e.Says, "code.") || strings.HasSuffix(e.Do, ".do") {
				t.Errorf("%s: %q is explained by %q, %q", l.Code, code.Code, e.Says, e.Do)
			}
		}
		if h.Find(w, "ZZ") != nil {
			t.Errorf("%s: an unknown code was found", l.Code)
		}
	}
}

func bankEntries(w *words.Words) (out []Entry) {
	for _, p := range bankParts(w) {
		out = append(out, p.Entries...)
	}
	return out
}

// The English catalogue is the table of package codes, word for word, and every
// other language has a text of its own for each of the table's meanings and
// advices: none is told by its class.
func TestBankTexts(t *testing.T) {
	book, err := words.Load(catalogue(), told.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	english := book.In(words.English)
	for _, c := range append(codes.All(), codes.Of("ZZ"), codes.Of("")) {
		if e := bankEntry(english, c); e.Says != c.Meaning || e.Do != c.Advice {
			t.Errorf("%q: the catalogue says %q, %q; the table %q, %q", c.Code, e.Says, e.Do, c.Meaning, c.Advice)
		}
	}
	for _, l := range words.Languages() {
		w := book.In(l.Code)
		for of, count := range map[string]func(codes.Code, string, string) (string, string){
			"meaning": func(c codes.Code, says, _ string) (string, string) { return c.Meaning, says },
			"advice":  func(c codes.Code, _, do string) (string, string) { return c.Advice, do },
		} {
			said := map[string]string{} // by what is said, what the table says
			for _, c := range codes.All() {
				e := bankEntry(w, c)
				table, text := count(c, e.Says, e.Do)
				if before, ok := said[text]; ok && before != table {
					t.Errorf("%s: %s: one %s for %q and %q", l.Code, c.Code, of, before, table)
				}
				said[text] = table
			}
		}
	}
}

// The page explains a code in the agent's language, and what it does not know
// it does not make up.
func TestPage(t *testing.T) {
	house := webtest.Serve(t, webtest.NewCounter(), New())
	tests := []struct {
		path string
		has  []string
		not  string
	}{
		{"/help", []string{"Codes of the bank", "700", "UW"}, "not known here"},
		{"/help?code=u3", []string{"The fingerprint did not match.", `value="U3"`}, "not known here"},
		{"/help?code=-1509", []string{"still starting"}, "not known here"},
		{"/help?code=120", []string{"asked for (fCount)."}, "fType"},
		{"/help?code=wx", []string{"must be registered again", `<p class="help-codes digits">WX</p>`}, "not known here"},
		{"/help?code=ZZ", []string{"The code ZZ is not known here. Do not give cash"}, ""},
		{"/help?code=%3Cscript%3Ealert(1)", []string{"&lt;SCRIPT&gt;"}, "<SCRIPT>"},
	}
	v := house.Visitor(t)
	v.Leads("/enter?operator=agent&to=/help")
	for _, test := range tests {
		page := v.Get(test.path, http.StatusOK)
		webtest.Has(t, page, test.has...)
		if test.not != "" {
			webtest.HasNot(t, page, test.not)
		}
	}
	hindi := house.Visitor(t)
	hindi.Leads("/enter?operator=agent&language=hi&to=/help")
	page := hindi.Get("/help?code=51", http.StatusOK)
	webtest.Has(t, page, "नकद न दें", "खाते में पूरा पैसा नहीं है")
}
