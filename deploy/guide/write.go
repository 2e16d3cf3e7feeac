package main

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed text layout
var sources embed.FS

// language is a language of the guide.
type language struct {
	Code string // of texts and pictures
	Name string // its own name
}

// languages are the two that most agents can read.
var languages = []language{{"en", "English"}, {"hi", "हिन्दी"}}

// chapters are the templates of a text's file, in the order of an agent's day.
var chapters = []string{"unlock", "sign-in", "withdrawal", "results", "offline", "dmt", "upi", "dayend", "printer", "help"}

// guidePage is the data of the layout.
type guidePage struct {
	Lang     string
	Others   []language
	Title    string
	Lead     string
	Chapters []chapter
}

type chapter struct {
	ID, Title string
	Body      template.HTML
}

// figure is a picture in the guide, from a phone or a desktop.
type figure struct {
	File, Says string
	Phone      bool
}

// write writes one file for each language and copies the pictures that they use.
func write(from fs.FS, out string) error {
	all, err := pictures(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("the guide's folder: %w", err)
	}
	for _, l := range languages {
		page, used, err := compose(l, all)
		if err != nil {
			return fmt.Errorf("the guide in %s: %w", l.Name, err)
		}
		if err := os.WriteFile(filepath.Join(out, l.Code+".html"), page, 0o644); err != nil {
			return fmt.Errorf("write the guide: %w", err)
		}
		for _, file := range used {
			b, err := fs.ReadFile(from, file)
			if err == nil {
				err = os.WriteFile(filepath.Join(out, filepath.Base(file)), b, 0o644)
			}
			if err != nil {
				return fmt.Errorf("a picture of the guide: %w", err)
			}
		}
	}
	return nil
}

// compose writes the guide of one language and returns the names of its pictures.
func compose(l language, all []picture) (page []byte, used []string, err error) {
	shot := func(name, says string, width string) (template.HTML, error) {
		p, err := named(all, l.Code+"-"+name, width)
		if err != nil {
			return "", err
		}
		used = append(used, p.File)
		return fill("layout/figure.html", figure{File: filepath.Base(p.File), Says: says, Phone: p.Phone()})
	}
	text, err := template.New(l.Code+".html").Funcs(template.FuncMap{
		"phone":   func(name, says string) (template.HTML, error) { return shot(name, says, phone) },
		"desktop": func(name, says string) (template.HTML, error) { return shot(name, says, desktop) },
	}).ParseFS(sources, "text/"+l.Code+".html")
	if err != nil {
		return nil, nil, err
	}
	say := func(part string) (string, error) {
		if text.Lookup(part) == nil {
			return "", fmt.Errorf("text/%s.html has no %q", l.Code, part)
		}
		var b bytes.Buffer
		err := text.ExecuteTemplate(&b, part, nil)
		return b.String(), err
	}
	s := guidePage{Lang: l.Code}
	for _, other := range languages {
		if other != l {
			s.Others = append(s.Others, other)
		}
	}
	for part, into := range map[string]*string{"title": &s.Title, "lead": &s.Lead} {
		if *into, err = say(part); err != nil {
			return nil, nil, err
		}
	}
	for _, id := range chapters {
		title, err := say(id + "-title")
		if err != nil {
			return nil, nil, err
		}
		body, err := say(id)
		if err != nil {
			return nil, nil, err
		}
		s.Chapters = append(s.Chapters, chapter{id, title, template.HTML(body)}) // the program's own text, from a template that escapes
	}
	whole, err := fill("layout/guide.html", s)
	return []byte(whole), used, err
}

// fill executes one of the layouts.
func fill(name string, data any) (template.HTML, error) {
	t, err := template.ParseFS(sources, name)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil // output of a template that escapes
}
