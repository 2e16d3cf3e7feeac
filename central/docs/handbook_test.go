package docs

import (
	"bytes"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func documents(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// pagesOf makes the pages of documents.
func pagesOf(files map[string]string) (map[string][]byte, error) {
	h, err := NewHandbook(Config{Documents: documents(files), Style: "p { color: red }"})
	if err != nil {
		return nil, err
	}
	return h.Pages(), nil
}

func TestPages(t *testing.T) {
	files := map[string]string{
		"operate.md": "# Operating\n\n## Start, stop\n\n| a | b |\n|---|---|\n| 1 | `<b>` |\n\nSee [bank](runbooks/bank.md#what-to-do), [above](#start-stop), [routes](/docs#x), [spec](https://example.org/).\n",
		"install.md": "# Install\n\n```sh\necho \"<script>\" && true\n```\n\n[next](operate.md)\n",
		"zebra.md":   "# Zebra\n", "notes.txt": "no document",
		"runbooks/bank.md": "# The bank is down\n\n## What to do\n\n[back](../operate.md)\n",
	}
	pages, err := pagesOf(files)
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 4 {
		t.Errorf("%d pages", len(pages))
	}
	operate := string(pages["/docs/operate"])
	for _, want := range []string{
		"<title>Operating · Galla</title>", "<style>p { color: red }</style>", `<h2 id="start-stop">Start, stop</h2>`, `<a href="#start-stop">Start, stop</a>`,
		"<table>", "&lt;b&gt;", `href="/docs/runbooks/bank#what-to-do"`, `href="/docs#x"`, `href="https://example.org/"`,
		`<a href="/docs/operate" aria-current="page">Operating</a>`, `<a href="/docs/runbooks/bank">The bank is down</a>`,
	} {
		if !strings.Contains(operate, want) {
			t.Errorf("the page has no %s:\n%s", want, operate)
		}
	}
	if order := regexp.MustCompile(`(?s)/docs/install".*/docs/operate".*/docs/zebra".*/docs/runbooks/bank"`); !order.MatchString(operate) {
		t.Error("the pages stand in another order")
	}
	install := string(pages["/docs/install"])
	if !strings.Contains(install, `<pre class="lines" tabindex="0" role="region" aria-label="Lines 1"><code`) || strings.Contains(operate+install, "<pre>") {
		t.Errorf("lines that the keyboard can't move:\n%s", install)
	}
	if !strings.Contains(install, "&lt;script&gt;") || strings.Count(install, "<script") != 1 || !strings.Contains(install, "<script>"+Script()+"</script>") || !strings.Contains(install, `<a href="/docs/operate">next</a>`) {
		t.Errorf("install:\n%s", install)
	}
	if !strings.Contains(string(pages["/docs/runbooks/bank"]), `<a href="/docs/operate">back</a>`) {
		t.Error("a link out of a folder does not lead to its page")
	}
	again, err := pagesOf(files)
	if err != nil || !bytes.Equal(again["/docs/operate"], pages["/docs/operate"]) {
		t.Errorf("two makings differ: %v", err)
	}
}

// TestPicturesAreLeftOut: a picture on its own is for the repository.
func TestPicturesAreLeftOut(t *testing.T) {
	pages, err := pagesOf(map[string]string{"a.md": "# A\n\n![x](a.png)\n\ntext\n"})
	if page := string(pages["/docs/a"]); err != nil || strings.Contains(page, "a.png") || !strings.Contains(page, "<p>text</p>") || strings.Contains(page, "<p></p>") {
		t.Errorf("%v\n%s", err, page)
	}
}

// TestLinksOutAreText: a link to a file of the repository that is no document is for readers
// of the repository.
func TestLinksOutAreText(t *testing.T) {
	pages, err := pagesOf(map[string]string{"design/a.md": "# A\n\nSee [the `engine`](../../../central/execute.go) and [b](../b.md), [x](../../etc/passwd.md).\n", "b.md": "# B\n"})
	if page := string(pages["/docs/design/a"]); err != nil || !strings.Contains(page, `<p>See the <code>engine</code> and <a href="/docs/b">b</a>, x.</p>`) {
		t.Errorf("%v\n%s", err, page)
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"no title":     {"## B\n", "has no title"},
		"two titles":   {"# A\n\n# B\n", "second title"},
		"no document":  {"# A\n\n[x](b.md)\n", "leads to no document"},
		"no page":      {"# A\n\n[x](a.txt)\n", "leads to no document"},
		"no heading":   {"# A\n\n[x](#b)\n", "leads to no heading"},
		"script":       {"# A\n\n[x](javascript:alert)\n", "leads to no document"},
		"plain http":   {"# A\n\n[x](http://example.org)\n", "leads to no document"},
		"HTML":         {"# A\n\n<b>x</b>\n", "not shown"},
		"a block":      {"# A\n\n<div>\nx\n</div>\n", "not shown"},
		"a picture":    {"# A\n\nSee ![x](a.png)\n", "not shown"},
		"far too long": {"# A\n\n" + strings.Repeat("x", maxBytes), "at most"},
	} {
		if _, err := pagesOf(map[string]string{"a.md": c.text}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}
