package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// pageGroup holds the pictures of one folder.
type pageGroup struct {
	Name     string
	Pictures []picture
}

// writeGallery writes the index of a gallery into it; each folder of the gallery is one
// section of the counter.
func writeGallery(dir fs.FS, out string) error {
	folders, err := fs.ReadDir(dir, ".")
	if err != nil {
		return fmt.Errorf("the gallery: %w", err)
	}
	var sections []pageGroup
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		below, err := fs.Sub(dir, f.Name())
		if err != nil {
			return err
		}
		found, err := pictures(below)
		if err != nil {
			return fmt.Errorf("the gallery of %s: %w", f.Name(), err)
		}
		if len(found) > 0 {
			sections = append(sections, pageGroup{f.Name(), found})
		}
	}
	if len(sections) == 0 {
		return fmt.Errorf("%s holds no pictures: run 'make gallery'", out)
	}
	page, err := fill("layout/wall.html", sections)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "index.html"), []byte(page), 0o644)
}
