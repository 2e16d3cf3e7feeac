package help

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"galla/edge/codes"
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
	book, err := words.Load(catalogue())
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
		for _, e := range slices.Concat(h.Reader(w), h.Face(w), Bank(w)) {
			if e.Says == "" || e.Do == "" || strings.HasPrefix(e.Says, "help.") || strings.HasPrefix(e.Do, "help.") {
				t.Errorf("%s: %+v has no text", l.Code, e)
			}
			all = append(all, strings.Fields(e.Codes)...)
		}
		if want := len(h.reader) + len(h.face) + len(codes.All()); len(all) != want {
			t.Errorf("%s: %d codes, want %d", l.Code, len(all), want)
		}
		no := strings.Fields(w.Say("help.bank.final.do"))[0]
		for _, c := range codes.All() {
			e := bankEntry(w, c)
			if c.Class != codes.Approved && !strings.HasPrefix(e.Do, no) {
				t.Errorf("%s: %s begins with %q", l.Code, c.Code, e.Do)
			}
		}
		if h.Find(w, "ZZ") != nil {
			t.Errorf("%s: an unknown code was found", l.Code)
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
	webtest.Has(t, page, "नकद न दें")
}
