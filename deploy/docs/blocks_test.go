package docs

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []Block
		bad  bool
	}{
		"none":            {text: "# A\n\ntext\n"},
		"two":             {text: "a\n```sh\ntrue\n```\nb\n```console\n# reboot\n```\n", want: []Block{{"p", 2, Shell, "true\n"}, {"p", 6, Console, "# reboot\n"}}},
		"in a list":       {text: "1. a\n   ```sh\n   true\n   ```\n", want: []Block{{"p", 2, Shell, "   true\n"}}},
		"no language":     {text: "```\ntrue\n```\n", bad: true},
		"no end":          {text: "```sh\ntrue\n", bad: true},
		"a second fence":  {text: "```sh\n```sh\n```\n", want: []Block{{"p", 1, Shell, "```sh\n"}}},
		"two words of it": {text: "```sh now\ntrue\n```\n", bad: true},
	} {
		got, err := Blocks("p", c.text)
		if (err != nil) != c.bad || !c.bad && !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// all gives the text of every page, by its path.
func all(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(Pages(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Pages(), p)
		texts[p] = string(text)
		return err
	})
	if err != nil || len(texts) < 5 {
		t.Fatalf("%d pages, %v", len(texts), err)
	}
	return texts
}

// slug is a heading's name in links.
func slug(heading string) string {
	kept := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(strings.TrimSpace(kept), " ", "-")
}

// leads reports whether a link, seen from a folder of the pages, leads to a page and to
// a heading of it.
func leads(texts map[string]string, folder, link string) bool {
	file, heading, deep := strings.Cut(link, "#")
	text, there := texts[path.Join(folder, file)]
	if !there || !deep {
		return there
	}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		if slug(m[1]) == heading {
			return true
		}
	}
	return false
}

// TestLinks checks that the target of each link exists.
func TestLinks(t *testing.T) {
	texts, found := all(t), 0
	for page, text := range texts {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			link := m[1]
			if regexp.MustCompile(`^(https?:|/docs|#)`).MatchString(link) {
				continue
			}
			found++
			if _, err := os.Stat(path.Join(path.Dir(page), strings.Split(link, "#")[0])); err != nil || strings.HasSuffix(strings.Split(link, "#")[0], ".md") && !leads(texts, path.Dir(page), link) {
				t.Errorf("%s points at %s, which is not there", page, link)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d links were found", found)
	}
}

// TestAlertsHaveRunbooks checks that each alert names a page and a heading of it, and
// that each runbook is named by an alert or is one for troubles that no metric shows.
func TestAlertsHaveRunbooks(t *testing.T) {
	rules, err := os.ReadFile("../monitoring/galla.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	silent := []string{"runbooks/restore.md"} // somebody decides to
	texts, named := all(t), map[string]bool{}
	for _, block := range strings.Split(string(rules), "- alert: ")[1:] {
		name, _, _ := strings.Cut(block, "\n")
		m := regexp.MustCompile(`(?m)^ +runbook: (\S+)$`).FindStringSubmatch(block)
		if m == nil {
			t.Errorf("alert %s names no page", name)
			continue
		}
		file, _, _ := strings.Cut(m[1], "#")
		named[file] = true
		if !leads(texts, ".", m[1]) {
			t.Errorf("alert %s names %s, which is not there", name, m[1])
		}
		if strings.HasPrefix(file, "runbooks/") && !strings.Contains(texts[file], name) {
			t.Errorf("alert %s leads to %s, which does not speak of it", name, file)
		}
	}
	for page, text := range texts {
		if strings.HasPrefix(page, "runbooks/") && !named[page] && !slices.Contains(silent, page) {
			t.Errorf("no alert leads to %s", page)
		}
		for _, m := range regexp.MustCompile("`(Galla[A-Z][A-Za-z]+)`").FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(rules), "- alert: "+m[1]+"\n") {
				t.Errorf("%s speaks of the alert %s, which does not exist", page, m[1])
			}
		}
	}
}

// TestRunbooksSayEverything checks that each has the five parts that somebody who is
// called at night looks for.
func TestRunbooksSayEverything(t *testing.T) {
	for page, text := range all(t) {
		if !strings.HasPrefix(page, "runbooks/") {
			continue
		}
		for _, part := range []string{"## How it is noticed", "## What it means for the customer's money", "## What to do", "## How to know that it is over", "## Never"} {
			if strings.Count(text, "\n"+part+"\n") != 1 {
				t.Errorf("%s has no part %q", page, part)
			}
		}
	}
}
