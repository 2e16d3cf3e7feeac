package docs

import (
	"regexp"
	"strings"
	"testing"
)

// searchable is a small handbook with a page that is no document.
func searchable(t *testing.T) *Handbook {
	t.Helper()
	h, err := NewHandbook(Config{
		Documents: documents(map[string]string{
			"operate.md":             "# Operating\n\nFirst *words*.\n\n## Rates and bounds\n\n| setting | default |\n|---|---|\n| bank-rate | 5 & \\<more> |\n\n### Deeper down\n\n```sh\ngalla-central check\n```\n",
			"runbooks/bank-down.md":  "# The network is away\n\n## How it is noticed\n\nBy `GallaBankSilent`.\n",
			"design/architecture.md": "# Architecture\n\n1. One\n2. Two\n",
		}),
		Others: []OtherPage{{Path: "/docs", Title: "All routes", HTML: []byte(`<nav>Aside</nav><main id="main"><h1>Galla</h1><p>Above &amp; all</p><h2 id="calls">Calls</h2><p>text</p><h3 id="post_x">Pay <b>out</b></h3><p class="call">POST /x</p><pre>{"example": 1}</pre><table><tr><th>HTTP</th></tr><tr><td>429</td><td>wait</td></tr></table><h3>Step</h3><p>sealed</p></main>`)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// resultLink matches a result's address, page and heading.
var resultLink = regexp.MustCompile(`<li><a href="([^"]*)"><span class="of">([^<]*)</span>([^<]*)</a>\n<p>(.*)</p></li>`)

func TestSearchPage(t *testing.T) {
	h := searchable(t)
	for query, want := range map[string][4]string{
		"bank-rate": {"/docs/operate#rates-and-bounds", "Operating", " › Rates and bounds", "setting · default; <mark>bank-rate</mark> · 5 &amp; &lt;more&gt;;"},
		"deeper":    {"/docs/operate#deeper-down", "Operating", " › Deeper down", "galla-central check"},
		"bank down": {"/docs/runbooks/bank-down", "The network is away", "", "By Galla<mark>Bank</mark>Silent."},
		"pay out":   {"/docs#post_x", "All routes", " › Pay out", "POST /x HTTP 429 · wait"},
		"429":       {"/docs#post_x", "All routes", " › Pay out", "POST /x HTTP <mark>429</mark> · wait"},
		"sealed":    {"/docs#post_x", "All routes", " › Step", "<mark>sealed</mark>"},
		"above":     {"/docs", "All routes", "", "<mark>Above</mark> &amp; all"},
	} {
		page, err := h.Search(query)
		m := resultLink.FindStringSubmatch(string(page))
		if err != nil || m == nil || [4]string(m[1:]) != want {
			t.Errorf("%q finds %q, %v, want %q", query, m, err, want)
		}
	}
	for _, query := range []string{"example", "aside"} {
		if page, _ := h.Search(query); !strings.Contains(string(page), "No page has") {
			t.Errorf("%q is found", query)
		}
	}
}

// TestSearchPageSays: the page says what it found, keeps the query in its field, and escapes
// all of it.
func TestSearchPageSays(t *testing.T) {
	h := searchable(t)
	evil := `"><script>alert(1)</script>`
	for query, want := range map[string][]string{
		"":                          {"<title>Search · Galla</title>", "Type words, a code such as 91", `name="q" maxlength="100" autocomplete="off" spellcheck="false" value=""`},
		"silent":                    {"One section has “silent”.", `value="silent"`, "<title>Search: silent · Galla</title>"},
		"bank":                      {"3 sections have “bank” or a part of it."},
		"zebra":                     {"No page has “zebra”.", "What may help", `href="/docs/glossary"`},
		evil:                        {"&lt;script&gt;alert(1)&lt;/script&gt;", `value="&#34;&gt;&lt;script&gt;`},
		strings.Repeat("bank ", 30): {"The search uses the first 100 characters."},
	} {
		page, err := h.Search(query)
		for _, text := range want {
			if err != nil || !strings.Contains(string(page), text) {
				t.Errorf("%q: the page does not say %s: %v\n%s", query, text, err, page)
			}
		}
		if strings.Contains(string(page), "<script>alert") || strings.Count(string(page), "<script") != 1 {
			t.Errorf("%q: a script of the query is in the page", query)
		}
	}
}

// TestFrame: each page has the search, the list of all pages with the present one marked, and
// folds both on phones; tables and lines can have the focus and have a name.
func TestFrame(t *testing.T) {
	h := searchable(t)
	page := string(h.Pages()["/docs/operate"])
	for _, want := range []string{
		`<form class="search" role="search" action="/docs/search">`, `<a class="skip" href="#main">`, `<main id="main">`,
		"<details class=\"fold\">\n<summary>On this page</summary>", "<details class=\"fold\">\n<summary>All pages</summary>",
		`<a href="/docs/operate" aria-current="page">Operating</a>`, `<a href="/docs/runbooks/bank-down">`, `<a href="/docs/design/architecture">`, `<a href="/docs">All routes</a>`,
		`<div class="wide" tabindex="0" role="region" aria-label="Table 1"><table>`, "</table></div>", `<pre class="lines" tabindex="0" role="region" aria-label="Lines 1">`, "<script>" + Script() + "</script>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s:\n%s", want, page)
		}
	}
	if plain := string(h.Pages()["/docs/design/architecture"]); strings.Contains(plain, "On this page") {
		t.Error("a page without sections lists them")
	}
}
