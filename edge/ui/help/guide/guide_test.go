package guide

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"galla/edge/i18n"
)

// read returns the guide of each language.
func read(t *testing.T) (all []Guide) {
	t.Helper()
	for _, l := range i18n.Languages() {
		g, err := Read(l.Code, Picture.File)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

// shape is a guide without its words: articles, pictures, lists and tables.
func shape(g Guide) (out []string) {
	for _, a := range g.Articles() {
		out = append(out, "# "+a.ID)
		out = append(out, regexp.MustCompile(`<(ol|ul|li|table|tr|figure)\b`).FindAllString(string(a.Body), -1)...)
	}
	for _, p := range g.Pictures {
		p.Lang = ""
		out = append(out, p.File())
	}
	return out
}

// Every language has the same articles with the same steps and pictures.
func TestTheLanguagesSayTheSame(t *testing.T) {
	all := read(t)
	for _, g := range all {
		if !slices.Equal(shape(g), shape(all[0])) {
			t.Errorf("%s and %s differ:\n%q\n%q", g.Lang, all[0].Lang, shape(g), shape(all[0]))
		}
		for _, a := range g.Articles() {
			if a.Title == "" || a.Text() == "" || strings.ContainsAny(a.Text(), "<>{}&") {
				t.Errorf("%s: %s says %q: %q", g.Lang, a.ID, a.Title, a.Text())
			}
			if strings.Contains(string(a.Body), "ZgotmplZ") || strings.Contains(string(a.Body), "&lt;figure") {
				t.Errorf("%s: a part of %s was escaped twice", g.Lang, a.ID)
			}
		}
	}
	ids := map[string]bool{}
	for _, a := range all[0].Articles() {
		if ids[a.ID] {
			t.Errorf("two articles are called %s", a.ID)
		}
		ids[a.ID] = true
	}
}

// maxPictures bounds all pictures together, in bytes: they are in the program.
const maxPictures = 3 << 20

// Every picture is there in each language, in its size, and no other file is. If this
// fails, 'make guide' takes the pictures anew.
func TestPictures(t *testing.T) {
	found, err := fs.ReadDir(files, "pictures")
	if err != nil {
		t.Fatal(err)
	}
	unused, total := map[string]bool{}, 0
	for _, f := range found {
		unused[f.Name()] = true
	}
	for _, g := range read(t) {
		for _, p := range g.Pictures {
			delete(unused, p.File())
			content, err := Content(p.File())
			if err != nil {
				t.Errorf("run 'make guide': %v", err)
				continue
			}
			total += len(content)
			decoded, err := webp.DecodeConfig(bytes.NewReader(content))
			width, height := p.Size()
			if got, want := fmt.Sprint(decoded.Width, decoded.Height), fmt.Sprint(float64(width)*p.Scale(), float64(height)*p.Scale()); err != nil || got != want {
				t.Errorf("%s has the size %s, want %s: %v", p.File(), got, want, err)
			}
		}
	}
	for name := range unused {
		t.Errorf("no guide shows pictures/%s: run 'make guide'", name)
	}
	if total > maxPictures {
		t.Errorf("the pictures have %d bytes: the program should stay small", total)
	}
}

// Bold text of the guide is on a page of the counter in that language; a single letter or
// digit is a key.
func TestTheWordsAreTheCountersOwn(t *testing.T) {
	names, gaps := regexp.MustCompile(`<b>([^<]+)</b>`), regexp.MustCompile(`\{[^}]*\}`)
	for _, g := range read(t) {
		said := map[string]bool{}
		for _, below := range []string{"edge/*", "edge/ui", "edge/ui/*", "edge/printing/*"} {
			found, err := filepath.Glob("../../../../" + below + "/messages/" + g.Lang + ".json")
			if err != nil || len(found) == 0 {
				t.Fatalf("no messages in %s below %s: %v", g.Lang, below, err)
			}
			for _, name := range found {
				b, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range regexp.MustCompile(`": "(.*)"`).FindAllStringSubmatch(string(b), -1) {
					said[strings.TrimSpace(gaps.ReplaceAllString(m[1], ""))] = true
				}
			}
		}
		for _, a := range g.Articles() {
			for _, m := range names.FindAllStringSubmatch(string(a.Body), -1) {
				if !said[m[1]] && len(m[1]) > 1 {
					t.Errorf("%s: %s names %q, which no page of the counter says", g.Lang, a.ID, m[1])
				}
			}
		}
	}
}
