package aeps

import (
	"encoding/json"
	"html"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
)

// same are the texts with one wording in every language.
var same = []string{"receipt.paper.a4"}

// TestTexts: every language has every text of this section.
func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "aeps", Files: files}, same...)
}

var (
	templateKey = regexp.MustCompile(`\b[tn] "([^"]+)"`)
	codeKey     = regexp.MustCompile(`"([a-z]+(?:\.[a-z0-9-]+)+)"`)
	familyKey   = regexp.MustCompile(`"([a-z]+(?:\.[a-z0-9-]+)*\.)"`)
)

// TestEveryTextIsAskedFor: every text that a template uses exists, and every text is used,
// by its key or by the beginning of its key that code completes.
func TestEveryTextIsAskedFor(t *testing.T) {
	half := os.DirFS("../..")
	keys, used, families := map[string]string{}, map[string]string{}, map[string]bool{}
	err := fs.WalkDir(half, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := fs.ReadFile(half, path)
		if err != nil {
			return err
		}
		switch {
		case strings.HasSuffix(path, "/messages/en.json"):
			texts := map[string]any{}
			if err := json.Unmarshal(b, &texts); err != nil {
				return err
			}
			for key := range texts {
				keys[key] = path
			}
		case filepath.Ext(path) == ".html":
			for _, m := range templateKey.FindAllStringSubmatch(string(b), -1) {
				used[m[1]] = path
			}
		case filepath.Ext(path) == ".go":
			for _, m := range codeKey.FindAllStringSubmatch(string(b), -1) {
				used[m[1]] += ""
			}
		default:
			return nil
		}
		for _, m := range familyKey.FindAllStringSubmatch(string(b), -1) {
			families[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, path := range used {
		if path != "" && keys[key] == "" {
			t.Errorf("%s asks for %s, and no catalogue has it", path, key)
		}
	}
	for key, path := range keys {
		_, direct := used[key]
		_, titled := used[strings.TrimSuffix(key, ".title")] // Kit.Message
		if !direct && !titled && !inFamily(key, families) {
			t.Errorf("nothing asks for %s of %s", key, path)
		}
	}
}

func inFamily(key string, families map[string]bool) bool {
	for i, r := range key {
		if r == '.' && families[key[:i+1]] {
			return true
		}
	}
	return false
}

// TestNoEnglish: pages in another language have no English except names, codes and the
// bank's texts.
func TestNoEnglish(t *testing.T) {
	v := unlocked(t)
	v.f.status.TID = "7"
	for i := range v.f.banks {
		v.f.banks[i].Name = "" // names of banks are the bank list's
	}
	var ids []string
	for _, s := range galleryRecords {
		if s.name != "statement" { // its lines are the bank's
			ids = append(ids, "/op/"+string(v.f.add(s.view)))
		}
	}
	for _, l := range i18n.Languages()[1:] {
		v.Post("/language", http.StatusSeeOther, "language", l.Code, "here", "/")
		for _, path := range append(ids, "/", "/new/withdrawal", "/new/balance", "/sign-in", "/nowhere") {
			_, page := v.Do(v.Request(http.MethodGet, path, nil))
			if found := latin(page); len(found) > 0 {
				t.Errorf("%s %s says %q", l.Code, path, found)
			}
		}
		for _, fields := range [][]string{{"amount", "x", "aadhaar", "1", "consent", ""}, {"amount", "20000"}, {"iin", "", "customer", ""}} {
			page := v.Post("/new/withdrawal", http.StatusUnprocessableEntity, filled(fields...)...)
			if found := latin(page); len(found) > 0 {
				t.Errorf("%s: the form with %q says %q", l.Code, fields, found)
			}
		}
	}
}

var (
	latinWord = regexp.MustCompile(`[A-Za-z]{2,}`)
	markup    = regexp.MustCompile(`(?s)<head>.*</head>|<[^>]*>`)
	// The consent in all languages, then in the customer's.
	consents = regexp.MustCompile(`(?s)<div class="languages" id="consent-text">.*?</div>|<span class="languages">.*?</label>|<blockquote.*?</blockquote>`)
	known    = strings.NewReplacer(
		"Shivshankar Choudhury", "", "Shivshankar", "", "State Bank of India", "", "Lakshmi Kirana Store", "", "Fatima", "", "Mantra MFS110", "", "XXXXXXXX", "",
		"AEPS-NR-", "", "GAL", "", "SBI", "", "baroda", "", "RRN", "", "STAN", "", "English", "", "Esc", "", "(PIN)", "",
	)
)

// latin returns the English words that should not be on a page.
func latin(page string) []string {
	words := html.UnescapeString(markup.ReplaceAllString(consents.ReplaceAllString(page, ""), " "))
	return latinWord.FindAllString(known.Replace(words), -1)
}
