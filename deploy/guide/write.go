package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"

	"galla/edge/i18n"
	"galla/edge/ui/help/guide"
)

//go:embed layout
var layouts embed.FS

// guidePage is the data of the layout.
type guidePage struct {
	guide.Guide
	Others []i18n.Language
}

// embedPictures replaces the pictures of the program by those that were taken. It changes
// nothing if one is missing.
func embedPictures(taken fs.FS, into string) error {
	wanted := map[string][]byte{}
	for _, l := range i18n.Languages() {
		g, err := guide.Read(l.Code, guide.Picture.File)
		if err != nil {
			return err
		}
		for _, p := range g.Pictures {
			content, err := fs.ReadFile(taken, p.File())
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("there is no picture %s: TestGallery does not take %q; let it, or take it out of the guide's text", p.File(), p.Name)
			}
			if err != nil {
				return err
			}
			wanted[p.File()] = content
		}
	}
	old, err := os.ReadDir(into)
	if err != nil {
		return fmt.Errorf("the program's pictures: %w", err)
	}
	for _, file := range old {
		if wanted[file.Name()] == nil {
			if err := os.Remove(filepath.Join(into, file.Name())); err != nil {
				return fmt.Errorf("a picture that the guide does not show: %w", err)
			}
		}
	}
	for name, content := range wanted {
		if err := os.WriteFile(filepath.Join(into, name), content, 0o644); err != nil {
			return fmt.Errorf("a picture of the guide: %w", err)
		}
	}
	return nil
}

// write writes one file for each language, with the program's pictures.
func write(out string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("the guide's folder: %w", err)
	}
	for _, l := range i18n.Languages() {
		g, err := guide.Read(l.Code, guide.Picture.File)
		if err != nil {
			return err
		}
		s := guidePage{Guide: g}
		for _, other := range i18n.Languages() {
			if other != l {
				s.Others = append(s.Others, other)
			}
		}
		page, err := fill("layout/guide.html", s)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, l.Code+".html"), []byte(page), 0o644); err != nil {
			return fmt.Errorf("write the guide: %w", err)
		}
		for _, p := range g.Pictures {
			content, err := guide.Content(p.File())
			if err == nil {
				err = os.WriteFile(filepath.Join(out, p.File()), content, 0o644)
			}
			if err != nil {
				return fmt.Errorf("a picture of the guide: %w", err)
			}
		}
	}
	return nil
}

// fill executes one of the layouts.
func fill(name string, data any) (template.HTML, error) {
	t, err := template.ParseFS(layouts, name)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil // output of a template that escapes
}
