package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sections are a small handbook.
func sections() []Section {
	return []Section{
		{Path: "/bank", Page: "The bank network is down", Name: "runbooks bank down", Text: "Nothing is lost. GallaBankUnreachable fires."},
		{Path: "/bank#do", Page: "The bank network is down", Name: "runbooks bank down", Heading: "What to do", Text: "Restart nothing. Look at galla_bank_requests_total."},
		{Path: "/restore", Page: "Restore a database", Text: "A restored backup lacks what came after it, such as 91 withdrawals."},
		{Path: "/codes#4", Page: "The trade", Heading: "4. Response codes", Terms: "00 08, 90, 91, 96", Text: "00 · approved 08, 90, 91, 96 · the issuer is not available. It was 10:00 on 2026-11-21; 1910 people paid 0.91 or 3,400.91."},
		{Path: "/rates", Page: "Operate", Heading: "Rates and bounds", Terms: "bank-concurrency", Text: "bank-concurrency · operations that wait for the bank; the environment has GALLA_BANK_CONCURRENCY"},
		{Path: "/callbacks", Page: "Operate", Heading: "Callbacks", Text: "The settlement of callbacks: data.ResponseCode and statusCode of POST /aeps/withdrawal, signed by HMAC-SHA-256"},
		{Path: "/rrn", Page: "Glossary", Heading: "RRN", Text: "The bank's reference."},
	}
}

func TestFind(t *testing.T) {
	ix := New(sections())
	for query, want := range map[string]string{
		"bank down": "/bank", "bank is down": "/bank", "the bank network is DOWN": "/bank", "bank requests": "/bank#do",
		"restore": "/restore", "restoring backups": "/restore", "databases": "/restore", "databse": "/restore", "restroe": "/restore",
		"91": "/codes#4", "00": "/codes#4", "response code": "/codes#4", "10:00": "/codes#4",
		"bank-concurrency": "/rates", "bankconcurrency": "/rates", "GALLA_BANK_CONCURRENCY": "/rates", "rate": "/rates",
		"callback": "/callbacks", "settle": "/callbacks", "setlement": "/callbacks", "statuscode": "/callbacks", "status code": "/callbacks", "ResponseCode": "/callbacks", "data.responsecode": "/callbacks",
		"/aeps/withdrawal": "/callbacks", "withdrawal aeps": "/callbacks", "callbacks/hmac": "/callbacks", "sha": "/callbacks",
		"rrn": "/rrn", "bank's reference": "/rrn", "what is an RRN?": "/rrn",
		"GallaBankUnreachable": "/bank", "galla_bank_requests_total": "/bank#do", "unreachable": "/bank",
	} {
		if found, total := ix.Find(query); total == 0 || found[0].Path != want {
			t.Errorf("%q finds %v, want %s first", query, paths(found), want)
		}
	}
}

func paths(found []Result) (out []string) {
	for _, r := range found {
		out = append(out, r.Path)
	}
	return out
}

// TestFindsNot: a number is no part of another, a short word is not guessed, and what is
// nowhere finds nothing.
func TestFindsNot(t *testing.T) {
	ix := New(sections())
	for query, not := range map[string]string{"1": "", "9": "", "191": "", "21": "", "400": "", "rrm": "", "zebra": "", "": "", "   ": "", "?!": "", "\x00": "", "ii": "", "91": "/rates"} {
		found, total := ix.Find(query)
		if not == "" && total > 0 || slices.Contains(paths(found), not) {
			t.Errorf("%q finds %v", query, paths(found))
		}
	}
	if found, total := New(nil).Find("bank"); len(found)+total > 0 {
		t.Errorf("nothing has %v", found)
	}
}

// TestAllWordsFirst: a section that has all words comes before one that has one of them
// often, and fillers do not count beside others.
func TestAllWordsFirst(t *testing.T) {
	ix := New([]Section{
		{Path: "/often", Page: "Tokens", Heading: "Token of a token", Text: strings.Repeat("token ", 50)},
		{Path: "/both", Page: "Other", Text: "Once a token expires, ask for another."},
		{Path: "/how", Page: "How", Heading: "How to do it", Text: "how how how"},
	})
	for query, want := range map[string]string{"token expires": "/both", "how do I token": "/often", "how": "/how"} {
		if found, _ := ix.Find(query); len(found) == 0 || found[0].Path != want {
			t.Errorf("%q finds %v, want %s first", query, paths(found), want)
		}
	}
}

func TestExcerpts(t *testing.T) {
	long := strings.Repeat("₹ of no interest. ", 80)
	ix := New([]Section{{Path: "/a", Page: "A", Text: long + "The float is short of money. " + long}, {Path: "/b", Page: "B", Text: "<b>Money</b> & more"}, {Path: "/c", Page: "Money"}})
	text := func(pieces []Piece) (out string) {
		for _, p := range pieces {
			if p.Marked {
				p.Text = "[" + p.Text + "]"
			}
			out += p.Text
		}
		return out
	}
	found, _ := ix.Find("float money")
	if got := text(found[0].Excerpt); !strings.Contains(got, "The [float] is short of [money]. ") || len(got) > excerptSize+20 || !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") {
		t.Errorf("the excerpt is %q", got)
	}
	found, _ = ix.Find("money")
	for _, r := range found {
		if r.Path == "/b" && text(r.Excerpt) != "<b>[Money]</b> & more" || r.Path == "/c" && r.Excerpt != nil {
			t.Errorf("the excerpt of %s is %q", r.Path, text(r.Excerpt))
		}
	}
}

// TestBounds: a query of any length costs a bounded amount, and its answer is bounded.
func TestBounds(t *testing.T) {
	var many []Section
	for i := range 100 {
		many = append(many, Section{Path: fmt.Sprint("/", i), Page: "Bank", Text: fmt.Sprint("word", i)})
	}
	ix := New(many)
	if found, total := ix.Find("bank"); len(found) != Results || total != 100 {
		t.Errorf("%d of %d", len(found), total)
	}
	long := strings.Repeat("€", MaxQuery+1)
	if cut, longer := Cut("  " + long); !longer || cut != strings.Repeat("€", MaxQuery) {
		t.Errorf("cut to %q, %v", cut, longer)
	}
	if cut, longer := Cut(" bank\xff "); longer || cut != "bank" {
		t.Errorf("cut to %q, %v", cut, longer)
	}
	if n := len(queryWords("a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11")); n != maxWords {
		t.Errorf("%d words count", n)
	}
	if n := len(ix.known([]string{"x/y/z", "u/v/w", "r/s/t"})); n != maxWords {
		t.Errorf("%d words count", n)
	}
}

func FuzzFind(f *testing.F) {
	ix := New(sections())
	for _, s := range []string{"bank", "ıİ", "GallaX", "a-b_c.d", "’s", "ẞß", "\xff/\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		found, total := ix.Find(query)
		if total < len(found) || len(found) > Results {
			t.Errorf("%d of %d", len(found), total)
		}
		for _, text := range New([]Section{{Path: "/x", Text: query}}).texts {
			excerpt(text, map[string]bool{stem(query): true})
		}
	})
}
