package help

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"galla/edge/outcome"

	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/ui/uitest"
)

func catalogue() i18n.Catalogue { return i18n.Catalogue{Owner: "help", Files: files} }

func TestTexts(t *testing.T) {
	i18ntest.Check(t, catalogue())
}

// Every code that the counter knows has an entry in every language, and only the approval
// does not begin with not giving cash.
func TestEveryCode(t *testing.T) {
	book, err := i18n.Load(catalogue(), outcome.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	h := New()
	for _, code := range []string{"100", "220", "700", "710", "720", "730", "740", "750", "760", "770", "900", "999", "-1307", "-1509"} {
		if !slices.Contains(h.reader, code) {
			t.Errorf("reader's code %s has no entry", code)
		}
	}
	for _, l := range i18n.Languages() {
		w := book.Localizer(l.Code)
		var all []string
		for _, e := range slices.Concat(h.Reader(w), h.Face(w), bankEntries(w)) {
			if e.Says == "" || e.Do == "" || strings.HasPrefix(e.Says, "help.") || strings.HasPrefix(e.Do, "help.") {
				t.Errorf("%s: %+v has no text", l.Code, e)
			}
			all = append(all, strings.Fields(e.Codes)...)
		}
		if want := len(h.reader) + len(h.face) + len(outcome.Codes(outcome.FamilyBank)); len(all) != want {
			t.Errorf("%s: %d codes, want %d", l.Code, len(all), want)
		}
		no := w.Text("code.no.cash")
		for _, code := range append(outcome.Codes(outcome.FamilyBank), outcome.Lookup(outcome.FamilyBank, "ZZ"), outcome.Lookup(outcome.FamilyBank, ""), outcome.Lookup(outcome.FamilyBank, "\u202e9<9")) {
			e := bankEntry(w, code)
			if code.Class != outcome.ClassApproved && !strings.HasPrefix(e.Do, no+" ") || strings.HasPrefix(e.Says, "code.") || strings.HasSuffix(e.Do, ".advice") {
				t.Errorf("%s: %q is explained by %q, %q", l.Code, code.Code, e.Says, e.Do)
			}
		}
		if h.Find(w, "ZZ") != nil {
			t.Errorf("%s: an unknown code was found", l.Code)
		}
	}
}

func bankEntries(w *i18n.Localizer) (out []Entry) {
	for _, p := range bankParts(w) {
		out = append(out, p.Entries...)
	}
	return out
}

// TestBankTexts: every language has a text of its own for each meaning and each
// advice of the table.
func TestBankTexts(t *testing.T) {
	book, err := i18n.Load(catalogue(), outcome.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range i18n.Languages() {
		w := book.Localizer(l.Code)
		keys := map[string]string{} // by text
		for _, c := range outcome.Codes(outcome.FamilyBank) {
			meaning, advice := c.TextKeys()
			for _, key := range []string{meaning, advice} {
				text := w.Text(key)
				if before, ok := keys[text]; ok && before != key {
					t.Errorf("%s: %s and %s are both %q", l.Code, before, key, text)
				}
				keys[text] = key
			}
		}
	}
}

// The page explains a code in the agent's language, and explains no unknown code.
func TestPage(t *testing.T) {
	server := uitest.Serve(t, uitest.NewCounter(), New())
	tests := []struct {
		path string
		has  []string
		not  string
	}{
		{"/help", []string{"Codes of the bank", "700", "UW"}, "not known here"},
		{"/help?code=u3", []string{"The fingerprint did not match.", `value="U3"`}, "not known here"},
		{"/help?code=-1509", []string{"still starting"}, "not known here"},
		{"/help?code=120", []string{"request (fCount)."}, "fType"},
		{"/help?code=wx", []string{"must be registered again", `<p class="help-codes digits">WX</p>`}, "not known here"},
		{"/help?code=ZZ", []string{"Code ZZ is not known here. Do not give cash"}, ""},
		{"/help?code=%3Cscript%3Ealert(1)", []string{"&lt;SCRIPT&gt;"}, "<SCRIPT>"},
	}
	v := server.NewClient(t)
	v.GetRedirect("/enter?operator=agent&to=/help")
	for _, test := range tests {
		page := v.Get(test.path, http.StatusOK)
		uitest.Contains(t, page, test.has...)
		if test.not != "" {
			uitest.NotContains(t, page, test.not)
		}
	}
	hindi := server.NewClient(t)
	hindi.GetRedirect("/enter?operator=agent&language=hi&to=/help")
	page := hindi.Get("/help?code=51", http.StatusOK)
	uitest.Contains(t, page, "नकद न दें", "खाते में पूरा पैसा नहीं है")
}
