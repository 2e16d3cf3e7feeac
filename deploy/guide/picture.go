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

// picture is a screenshot of one page.
type picture struct {
	File  string // relative to the folder
	Width string // of the window, in pixels
	Name  string // en-give: language and page
}

// Phone reports whether the window was a phone's.
func (p picture) Phone() bool { return p.Width == phone }

// phone is the width of a phone's window (uitest's users).
const phone = "360"

// pictureFile is uitest's file name of a picture: window, number, page.
var pictureFile = regexp.MustCompile(`^(\d+)x\d+-\d+-(.+)\.png$`)

// pictures returns the pictures of a folder by name, phones last. Of pictures with the
// same name, the last counts.
func pictures(dir fs.FS) ([]picture, error) {
	found, err := fs.Glob(dir, "*.png")
	if err != nil {
		return nil, err
	}
	// Of two pictures with one name, the longer file name has the higher number.
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
