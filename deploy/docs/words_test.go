package docs

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"galla/edge/i18n"
)

// counterTexts returns the texts of the counter's catalogues and of its guide: by language,
// file and key.
func counterTexts(t *testing.T) map[string]map[string]string {
	t.Helper()
	texts := map[string]map[string]string{}
	err := fs.WalkDir(os.DirFS("../../edge"), ".", func(name string, _ fs.DirEntry, err error) error {
		isCatalogue := path.Base(path.Dir(name)) == "messages" && path.Ext(name) == ".json"
		if isGuide := strings.HasSuffix(path.Dir(name), "guide/text"); err != nil || !isCatalogue && !isGuide {
			return err
		}
		raw, err := os.ReadFile("../../edge/" + name)
		if err != nil {
			return err
		}
		code := strings.TrimSuffix(path.Base(name), path.Ext(name))
		if texts[code] == nil {
			texts[code] = map[string]string{}
		}
		if !isCatalogue {
			texts[code][name] = string(raw)
			return nil
		}
		var messages map[string]any
		if err := json.Unmarshal(raw, &messages); err != nil {
			return err
		}
		for key, message := range messages {
			at := path.Dir(path.Dir(name)) + " " + key
			switch m := message.(type) {
			case string:
				texts[code][at] = m
			case map[string]any:
				for form, text := range m {
					texts[code][at+" "+form], _ = text.(string)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// tableUnder returns the rows of the table under a heading of words.md, its first row the head.
func tableUnder(t *testing.T, page, heading string) (rows [][]string) {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n## "+heading+"\n")
	if !found {
		t.Fatalf("words.md has no heading %q", heading)
	}
	section, _, _ := strings.Cut(rest, "\n## ")
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// hasText reports whether any text contains the words, whatever their case.
func hasText(texts map[string]string, words string) (at string, found bool) {
	for key, text := range texts {
		if strings.Contains(strings.ToLower(text), strings.ToLower(words)) {
			return key, true
		}
	}
	return "", false
}

// TestWords: the counter says each term of words.md in each language, and none of the words
// that the page rules out.
func TestWords(t *testing.T) {
	raw, err := os.ReadFile("design/words.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := counterTexts(t)
	terms := tableUnder(t, string(raw), "Terms")
	head := terms[0]
	for _, l := range i18n.Languages() {
		if !slices.Contains(head, l.Code) || len(texts[l.Code]) < 1000 {
			t.Errorf("%s: words.md has a column for it: %v; its catalogues have %d texts", l.Name, slices.Contains(head, l.Code), len(texts[l.Code]))
		}
	}
	for _, row := range terms[1:] {
		if len(row) != len(head) {
			t.Errorf("the row of %q has %d cells, want %d", row[0], len(row), len(head))
			continue
		}
		for i, code := range head {
			if texts[code] == nil { // the columns of term and note
				continue
			}
			if _, found := hasText(texts[code], row[i]); !found || row[i] == "" {
				t.Errorf("%s: no text of the counter says %q for %q: change the texts, or words.md", code, row[i], row[0])
			}
		}
	}
	banned := tableUnder(t, string(raw), "Not these")[1:]
	if len(terms) < 20 || len(banned) < 25 {
		t.Errorf("%d terms and %d words to avoid were read: the tables have more", len(terms), len(banned))
	}
	for _, row := range banned {
		if texts[row[0]] == nil {
			t.Errorf("words.md rules out %q in %q, which is no language of the counter", row[1], row[0])
		}
		if at, found := hasText(texts[row[0]], row[1]); found {
			t.Errorf("%s: the text of %s says %q: say %q (words.md)", row[0], at, row[1], row[2])
		}
	}
}
