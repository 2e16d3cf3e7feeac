package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// room is the pictures of one folder.
type room struct {
	Name     string
	Pictures []picture
}

// hangAll writes the index of a gallery, whose folders are rooms, into it.
func hangAll(dir fs.FS, out string) error {
	folders, err := fs.ReadDir(dir, ".")
	if err != nil {
		return fmt.Errorf("the gallery: %w", err)
	}
	var rooms []room
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
			rooms = append(rooms, room{f.Name(), found})
		}
	}
	if len(rooms) == 0 {
		return fmt.Errorf("%s holds no pictures: run 'make gallery'", out)
	}
	page, err := fill("layout/wall.html", rooms)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "index.html"), []byte(page), 0o644)
}
