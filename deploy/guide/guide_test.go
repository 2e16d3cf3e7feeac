package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"galla/edge/i18n"
	"galla/edge/ui/help/guide"
)

// taken returns a file for each picture of the guide.
func taken(t *testing.T) fstest.MapFS {
	t.Helper()
	dir := fstest.MapFS{}
	for _, l := range i18n.Languages() {
		g, err := guide.Read(l.Code, guide.Picture.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range g.Pictures {
			dir[p.File()] = &fstest.MapFile{Data: []byte(p.File())}
		}
	}
	return dir
}

// TestThePicturesAreTaken checks that the walk takes all pictures of the texts.
func TestThePicturesAreTaken(t *testing.T) {
	files, err := filepath.Glob("../test/e2e/gallery*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		walk, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\.check\("([^"]+)"`).FindAllStringSubmatch(string(walk), -1) {
			names[m[1]] = true
		}
	}
	g, err := guide.Read(i18n.English, guide.Picture.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range g.Pictures {
		if !names[p.Name] && !strings.HasPrefix(p.Name, "form-") {
			t.Errorf("the guide shows %s, which TestGallery does not look at", p.Name)
		}
	}
}

func TestEmbedPictures(t *testing.T) {
	into := t.TempDir()
	old := filepath.Join(into, "en-old.webp")
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := taken(t)
	lacking := fstest.MapFS{}
	for name, file := range all {
		if name != "te-give.webp" {
			lacking[name] = file
		}
	}
	if err := embedPictures(lacking, into); err == nil || !strings.Contains(err.Error(), "te-give.webp") {
		t.Errorf("with a picture missing: %v", err)
	}
	if found, err := os.ReadDir(into); err != nil || len(found) != 1 {
		t.Errorf("with a picture missing, the program's have changed: %v, %v", found, err)
	}
	if err := embedPictures(all, into); err != nil {
		t.Fatal(err)
	}
	if found, err := os.ReadDir(into); err != nil || len(found) != len(all) {
		t.Errorf("%d pictures, want %d: %v", len(found), len(all), err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("a picture that no guide shows is still there")
	}
}

func TestWrite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "guide")
	if err := write(out); err != nil {
		t.Fatal(err)
	}
	for _, l := range i18n.Languages() {
		b, err := os.ReadFile(filepath.Join(out, l.Code+".html"))
		if err != nil {
			t.Fatal(err)
		}
		page := string(b)
		for _, id := range []string{"unlock", "money-cut", "help"} {
			if !strings.Contains(page, `<section id="`+id+`">`) || !strings.Contains(page, `href="#`+id+`"`) {
				t.Errorf("%s: no article %s", l.Name, id)
			}
		}
		for _, m := range regexp.MustCompile(`<img src="([^"]+)" alt="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if _, err := os.Stat(filepath.Join(out, m[1])); err != nil || m[2] == "" {
				t.Errorf("%s: the picture %s, %q: %v", l.Name, m[1], m[2], err)
			}
		}
		if strings.Contains(page, "ZgotmplZ") || strings.Contains(page, "&lt;figure") {
			t.Errorf("%s: a part was escaped twice", l.Name)
		}
	}
}

func TestWriteGallery(t *testing.T) {
	dir := fstest.MapFS{}
	for _, name := range []string{"1366x768-01-give.png", "360x740-99-give.png", "360x740-100-give.png"} {
		dir["screen/"+name] = &fstest.MapFile{}
	}
	out := t.TempDir()
	if err := writeGallery(dir, out); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if !strings.Contains(page, "screen/1366x768-01-give.png") || !strings.Contains(page, "screen/360x740-100-give.png") || strings.Contains(page, "360x740-99-give.png") {
		t.Errorf("%s", page)
	}
	if err := writeGallery(fstest.MapFS{}, out); err == nil {
		t.Error("an empty gallery was hung")
	}
	if err := writeGallery(fstest.MapFS{"screen/me.png": {}}, out); err == nil || !strings.Contains(err.Error(), "me.png") {
		t.Errorf("with a foreign picture: %v", err)
	}
}
