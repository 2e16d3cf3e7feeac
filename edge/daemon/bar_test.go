package daemon

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/edge/i18n"
	"galla/edge/ui/uitest"
)

// pageRoute is a route of a page, as sections register it.
var pageRoute = regexp.MustCompile(`"GET (/[^"]*)"`)

// TestChromiumBarOfEveryPage: on a phone, the bar is one line of at most 64 px on every
// page that has it, in English, Hindi and Tamil; and what is behind 'More' fits in all
// languages.
func TestChromiumBarOfEveryPage(t *testing.T) {
	_, v := allSections(t)
	var paths []string
	for _, below := range []string{"../ui/*.go", "../ui/*/*.go"} {
		found, err := filepath.Glob(below)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			source, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(f, "_test.go") || strings.Contains(f, "uitest") {
				continue
			}
			for _, m := range pageRoute.FindAllStringSubmatch(string(source), -1) {
				if path := strings.TrimSuffix(m[1], "{$}"); !strings.Contains(path, "{") && !strings.Contains(path, "events") {
					paths = append(paths, path)
				}
			}
		}
	}
	paths = append(paths, "/new/withdrawal", "/nowhere")
	slices.Sort(paths)
	b := uitest.Open(t, uitest.Chromium(t), v.Base, 360, 740)
	seen := 0
	for _, language := range []string{"en", "hi", "ta"} {
		b.Navigate("/enter?language=" + language)
		for _, path := range slices.Compact(paths) {
			if uitest.Eval[string](b, `fetch("`+path+`", {method: "HEAD"}).then(r => r.headers.get("Content-Type") ?? "")`) != "text/html; charset=utf-8" {
				continue // a file or an event stream
			}
			b.Navigate(path)
			b.WaitFor(`document.readyState === "complete"`)
			if uitest.Eval[bool](b, `document.querySelector("header.bar") === null`) {
				continue // the customer's screen
			}
			seen++
			for _, fault := range b.Faults() {
				if strings.Contains(fault, "the bar") {
					t.Errorf("%s %s: %s", language, path, fault)
				}
			}
		}
	}
	for _, l := range i18n.Languages() {
		b.Navigate("/enter?to=/&language=" + l.Code)
		b.WaitFor(`document.readyState === "complete" && document.querySelectorAll("#more .places a").length > 8`)
		uitest.Eval[any](b, `document.querySelector(".more-button").click()`)
		b.WaitFor(`document.querySelector("#more").matches(":popover-open")`)
		b.Check("more-" + l.Code)
	}
	if seen < 60 {
		t.Errorf("%d pages with a bar were seen: where are the others?", seen)
	}
}
