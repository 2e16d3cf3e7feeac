package help

import (
	"net/http"
	"regexp"
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
	h := New("")
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
	server := uitest.Serve(t, uitest.NewCounter(), New(""))
	tests := []struct {
		path string
		has  []string
		not  string
	}{
		{"/help", []string{"Codes of the bank", "700", "UW", `<li id="bank-VB">`, `<a href="/guide#withdrawal">`}, "not known here"},
		{"/help?code=u3", []string{"The fingerprint did not match.", `value="U3"`}, "not known here"},
		{"/help?q=u3", []string{"The fingerprint did not match.", `value="u3"`}, "not known here"},
		{"/help?code=-1509", []string{"still starting"}, "not known here"},
		{"/help?code=120", []string{"request (fCount)."}, "fType"},
		{"/help?code=wx", []string{"must be registered again", `<p class="help-codes digits">WX</p>`}, "not known here"},
		{"/help?code=ZZ", []string{"Code ZZ is not known here. Do not give cash", "call support", `<a href="/guide#withdrawal">`}, ""},
		{"/help?code=%3Cscript%3Ealert(1)", []string{"&lt;SCRIPT&gt;"}, "<SCRIPT>"},
		{"/help?q=money+cut+no+cash", []string{`<a href="/guide#money-cut">Money was cut, but no cash was given</a>`}, "Codes of the bank"},
		{"/help?q=insufficient+funds", []string{`<a href="/help#bank-51">There is not enough money in the account.</a>`}, ""},
		{"/help?q=zz", []string{"Code ZZ is not known here. Do not give cash"}, "Nothing was found"},
		{"/help?q=zz&typed=yes", []string{"Nothing was found for “zz”."}, "not known here"},
		{"/help?q=elephant+zebra", []string{"Nothing was found for “elephant zebra”.", "call support", `<a href="/guide#withdrawal">`}, "Do not give cash. Call"},
		{"/help?q=%3Cb%3Ehippo+zebra", []string{"&lt;b&gt;hippo zebra"}, "<b>hippo"},
		{"/help?q=++", []string{"Codes of the bank"}, "Nothing was found"},
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

// The number of support is on the page where help begins, and where nothing was found.
func TestSupport(t *testing.T) {
	for _, phone := range []string{"", "1800 000 0000"} {
		v := uitest.Serve(t, uitest.NewCounter(), New(phone)).NewClient(t)
		v.GetRedirect("/enter?to=/help")
		for _, path := range []string{"/help", "/help?q=elephant+zebra", "/help?code=ZZ"} {
			if has := strings.Contains(v.Get(path, http.StatusOK), "Support: 1800 000 0000"); has != (phone != "") {
				t.Errorf("%s, support %q: the number is shown: %v", path, phone, has)
			}
		}
	}
}

// A long number may be an Aadhaar number: it stays in no address and on no page.
func TestLongNumbers(t *testing.T) {
	server := uitest.Serve(t, uitest.NewCounter(), New(""))
	v := server.NewClient(t)
	v.GetRedirect("/enter?to=/help")
	for _, number := range []string{uitest.CustomerAadhaar, "9999+4105+7058", "9999-4105-7058"} {
		if to := v.GetRedirect("/help?q=finger+" + number); to != "/help?q=finger" {
			t.Errorf("%s leads to %s", number, to)
		}
	}
	if page := v.Get("/help?q=limit+10000", http.StatusOK); !strings.Contains(page, `value="limit 10000"`) {
		t.Errorf("an amount was taken out:\n%s", page)
	}
}

// No query is logged.
func TestNothingIsLogged(t *testing.T) {
	server := uitest.Serve(t, uitest.NewCounter(), New(""))
	v := uitest.NewClient(t, server.Base, nil)
	v.GetRedirect("/enter?to=/help")
	v.Get("/help?q=zebra+finger", http.StatusOK)
	v.Get("/help?part=main&q=zebra", http.StatusOK)
	if strings.Contains(server.Log.String(), "zebra") {
		t.Errorf("the log has the query:\n%s", server.Log)
	}
}

// The guide's page shows every chapter in each language, with pictures that browsers may
// keep.
func TestGuide(t *testing.T) {
	server := uitest.Serve(t, uitest.NewCounter(), New(""))
	v := server.NewClient(t)
	for _, l := range i18n.Languages() {
		v.GetRedirect("/enter?to=/guide&language=" + l.Code)
		page := v.Get("/guide", http.StatusOK)
		uitest.Contains(t, page, `<section id="withdrawal"`, `<section id="money-cut"`, `href="#money-cut"`, "data-print", `lang="`+l.Code+`"`)
		pictures := regexp.MustCompile(`<img src="([^"]*)"`).FindAllStringSubmatch(page, -1)
		if len(pictures) < 20 {
			t.Errorf("%s: the guide shows %d pictures", l.Code, len(pictures))
		}
		for _, p := range pictures {
			reply, _ := v.Do(v.Request(http.MethodGet, p[1], nil))
			if reply.StatusCode != http.StatusOK || reply.Header.Get("Content-Type") != "image/webp" || !strings.Contains(reply.Header.Get("Cache-Control"), "immutable") {
				t.Fatalf("%s: HTTP %d, %v", p[1], reply.StatusCode, reply.Header)
			}
		}
	}
	for _, path := range []string{"/guide/pictures/0000000000000000/en-give.webp", "/guide/pictures/0/none.webp", "/guide/pictures/0/..%2Ftext%2Fen.html"} {
		v.Get(path, http.StatusNotFound)
	}
}
