package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wanted are words that a reader looks for first.
var wanted = strings.Split("AEPS, BC agent, IIN, STAN, RRN, UTR, PID block, RD service, Issuer, Acquirer, DMT, IMPS, KYC, OTP, Tombstone, Reconcile, Settlement file, Float, Slab, Pending, Stuck, Reversal, Idempotency, HMAC, AAD, VPA, tr", ", ")

// glossary gives the texts of the glossary's words.
func glossary(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{}
	for _, entry := range strings.Split(string(raw), "\n### ")[1:] {
		word, text, _ := strings.Cut(entry, "\n")
		text, _, _ = strings.Cut(text, "\n## ")
		if words[word] != "" {
			t.Errorf("the glossary has %s twice", word)
		}
		words[word] = text
	}
	return words
}

// tree gives the texts in which a word of the glossary may be used: the handbook's other
// pages and the code.
func tree(t *testing.T) (texts []string) {
	t.Helper()
	for page, text := range all(t) {
		if page != "glossary.md" {
			texts = append(texts, text)
		}
	}
	for _, folder := range []string{"central", "edge", "shared"} {
		err := filepath.WalkDir("../../"+folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			text, err := os.ReadFile(path)
			texts = append(texts, string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// TestGlossary: each word is explained in at most three sentences, links to a page that says
// more, and is used somewhere; and the words that everybody looks for are there.
func TestGlossary(t *testing.T) {
	words, texts := glossary(t), tree(t)
	for _, word := range wanted {
		if words[word] == "" {
			t.Errorf("the glossary has no %q", word)
		}
	}
	links := regexp.MustCompile(`\]\((?:[a-z][\w/-]*\.md|/docs/[a-z]+)[#)]`)
	for word, text := range words {
		plain := strings.Join(strings.Fields(text), " ")
		if n := len(regexp.MustCompile(`[.;] `).FindAllString(plain+" ", -1)); plain == "" || n > 4 {
			t.Errorf("%s: %d parts of sentences: one or two sentences, and where more is said", word, n)
		}
		if !links.MatchString(text) {
			t.Errorf("%s: the text links to no page that says more", word)
		}
		var used []*regexp.Regexp
		for _, part := range strings.Fields(word) {
			used = append(used, regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(part)+`\b`))
		}
		inOne := func(text string) bool {
			return !slices.ContainsFunc(used, func(part *regexp.Regexp) bool { return !part.MatchString(text) })
		}
		if !slices.ContainsFunc(texts, inOne) {
			t.Errorf("%s is used nowhere: take it from the glossary", word)
		}
	}
	if len(words) < 50 {
		t.Errorf("%d words were read: the glossary has more", len(words))
	}
}
