package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var (
	shown  = regexp.MustCompile(`\{\{(phone|desktop) "([^"]+)"`)
	looked = regexp.MustCompile(`\.check\("([^"]+)"`)
)

// taken returns pictures of all names, as the browser tests write them.
func taken(names ...string) fstest.MapFS {
	dir := fstest.MapFS{}
	for _, l := range languages {
		for _, name := range names {
			for _, size := range []string{"1366x768", "360x740"} {
				dir[size+"-07-"+l.Code+"-"+name+".png"] = &fstest.MapFile{Data: []byte(size + name)}
			}
		}
	}
	return dir
}

// shows returns the pictures of a language's text, in order.
func shows(t *testing.T, l language) []string {
	t.Helper()
	b, err := sources.ReadFile("text/" + l.Code + ".html")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range shown.FindAllStringSubmatch(string(b), -1) {
		out = append(out, m[1]+" "+m[2])
	}
	return out
}

func TestTheLanguagesShowTheSame(t *testing.T) {
	first := shows(t, languages[0])
	for _, l := range languages[1:] {
		if other := shows(t, l); !slices.Equal(first, other) {
			t.Errorf("%s shows %q, %s shows %q", languages[0].Name, first, l.Name, other)
		}
	}
}

// TestThePicturesAreTaken checks that the walk takes all pictures of the texts.
func TestThePicturesAreTaken(t *testing.T) {
	walk, err := os.ReadFile("../test/e2e/gallery_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range looked.FindAllStringSubmatch(string(walk), -1) {
		names = append(names, m[1])
	}
	for _, x := range shows(t, languages[0]) {
		if _, name, _ := strings.Cut(x, " "); !slices.Contains(names, name) && !strings.HasPrefix(name, "form-") {
			t.Errorf("the guide shows %s, which TestGallery does not look at", name)
		}
	}
}

// TestTheWordsAreTheCountersOwn: bold text of the guide is on a page of the counter in
// that language; a single letter or digit is a key.
func TestTheWordsAreTheCountersOwn(t *testing.T) {
	bold, gaps := regexp.MustCompile(`<b>([^<]+)</b>`), regexp.MustCompile(`\{[^}]*\}`)
	for _, l := range languages {
		var files []string
		for _, below := range []string{"edge/*", "edge/ui/*", "edge/printing/*"} {
			found, err := filepath.Glob("../../" + below + "/messages/" + l.Code + ".json")
			if err != nil || len(found) == 0 {
				t.Fatalf("no messages in %s below %s: %v", l.Name, below, err)
			}
			files = append(files, found...)
		}
		said := map[string]bool{}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`": "(.*)"`).FindAllStringSubmatch(string(b), -1) {
				said[strings.TrimSpace(gaps.ReplaceAllString(m[1], ""))] = true
			}
		}
		text, err := sources.ReadFile("text/" + l.Code + ".html")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range bold.FindAllStringSubmatch(string(text), -1) {
			if !said[m[1]] && len(m[1]) > 1 {
				t.Errorf("%s: the guide names %q, which no page of the counter says", l.Name, m[1])
			}
		}
	}
}

func TestWrite(t *testing.T) {
	var names []string
	for _, x := range shows(t, languages[0]) {
		_, name, _ := strings.Cut(x, " ")
		names = append(names, name)
	}
	out := filepath.Join(t.TempDir(), "guide")
	if err := write(taken(names...), out); err != nil {
		t.Fatal(err)
	}
	for _, l := range languages {
		b, err := os.ReadFile(filepath.Join(out, l.Code+".html"))
		if err != nil {
			t.Fatal(err)
		}
		page := string(b)
		for _, id := range chapters {
			if !strings.Contains(page, `<section id="`+id+`">`) || !strings.Contains(page, `href="#`+id+`"`) {
				t.Errorf("%s: no chapter %s", l.Name, id)
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
	if err := write(taken(names[1:]...), out); err == nil || !strings.Contains(err.Error(), "make gallery") {
		t.Errorf("with a picture missing: %v", err)
	}
	if err := write(fstest.MapFS{"me.png": {}}, out); err == nil || !strings.Contains(err.Error(), "me.png") {
		t.Errorf("with a foreign picture: %v", err)
	}
}

func TestHangAll(t *testing.T) {
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
}
