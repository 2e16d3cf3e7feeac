package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// picture is one page as the browser tests saw it.
type picture struct {
	File  string // below the folder
	Width string // of the window, in pixels
	Name  string // en-give: the language, and the page's name
}

// Phone tells whether the window was a phone's.
func (p picture) Phone() bool { return p.Width == phone }

// The widths of the windows that the pictures are taken in (webtest's users).
const (
	phone   = "360"
	desktop = "1366"
)

// pictureFile is how webtest names a picture: window, number, page.
var pictureFile = regexp.MustCompile(`^(\d+)x\d+-\d+-(.+)\.png$`)

// pictures gives the pictures of a folder, by name, phones last. A name that was
// taken more than once counts as it was last.
func pictures(dir fs.FS) ([]picture, error) {
	found, err := fs.Glob(dir, "*.png")
	if err != nil {
		return nil, err
	}
	// Of two of one name the longer one has the higher number.
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	last := map[string]picture{}
	for _, file := range found {
		m := pictureFile.FindStringSubmatch(path.Base(file))
		if m == nil {
			return nil, fmt.Errorf("%s is no picture of the browser tests; remove it, or make the pictures again", file)
		}
		last[m[2]+" "+m[1]] = picture{File: file, Width: m[1], Name: m[2]}
	}
	var out []picture
	for _, p := range last {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b picture) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(len(b.Width), len(a.Width)), strings.Compare(a.Width, b.Width))
	})
	return out, nil
}

// named gives the picture of a page at a width.
func named(all []picture, name, width string) (picture, error) {
	i := slices.IndexFunc(all, func(p picture) bool { return p.Name == name && p.Width == width })
	if i < 0 {
		return picture{}, fmt.Errorf("there is no picture of %s at %s pixels: run 'make gallery', or take it out of the guide's text", name, width)
	}
	return all[i], nil
}
