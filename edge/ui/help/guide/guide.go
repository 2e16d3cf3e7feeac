package guide

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"strings"
)

//go:embed text layout pictures
var files embed.FS

// chapters are the articles of the guide in the order of an agent's day. Each is two
// templates of a text's file: its name, and its name with -title.
var chapters = []struct {
	id    string
	below []string
}{
	{id: "unlock"}, {id: "sign-in"}, {id: "withdrawal"}, {id: "results"},
	{"questions", []string{"money-cut", "finger", "reader", "otp", "not-arrived", "refused", "forgot-pin", "drawer"}},
	{id: "offline"}, {id: "dmt"}, {id: "upi"}, {id: "dayend"}, {id: "printer"}, {id: "help"},
}

// Guide is the guide in one language.
type Guide struct {
	Lang     string
	Title    string
	Lead     string
	Chapters []Article
	Pictures []Picture // in the order of the text
}

// Article is a chapter, or an answer to one question.
type Article struct {
	ID    string // the anchor
	Title string
	Body  template.HTML
	Below []Article
}

// Picture is a picture of one page of the counter, on a phone or a desktop.
type Picture struct {
	Lang    string
	Name    string // of the page
	Desktop bool
}

// Windows of the pictures, in pixels.
const (
	phoneWidth, phoneHeight     = 360, 740
	desktopWidth, desktopHeight = 1366, 768
)

// Scale is how many pixels of the picture stand for one of the window: a phone's page is
// small on paper, and sharper with more.
func (p Picture) Scale() float64 {
	if p.Desktop {
		return 1
	}
	return 1.25
}

// Size returns the width and the height of the window.
func (p Picture) Size() (width, height int) {
	if p.Desktop {
		return desktopWidth, desktopHeight
	}
	return phoneWidth, phoneHeight
}

// File returns the name of the picture's file.
func (p Picture) File() string { return p.Lang + "-" + p.Name + ".webp" }

// Content returns the picture as WebP; an error that is fs.ErrNotExist if there is none of
// this name.
func Content(file string) ([]byte, error) { return fs.ReadFile(files, "pictures/"+file) }

// figure is the data of the layout of a picture.
type figure struct {
	Picture
	Address       string
	Says          string
	Width, Height int
}

// Read makes the guide of a language. address says where the page finds a picture.
func Read(lang string, address func(Picture) string) (Guide, error) {
	g := Guide{Lang: lang}
	layout, err := template.ParseFS(files, "layout/figure.html")
	if err != nil {
		return g, err
	}
	show := func(name, says string, desktop bool) (template.HTML, error) {
		p := Picture{Lang: lang, Name: name, Desktop: desktop}
		g.Pictures = append(g.Pictures, p)
		f := figure{Picture: p, Address: address(p), Says: says}
		f.Width, f.Height = p.Size()
		var b bytes.Buffer
		err := layout.Execute(&b, f)
		return template.HTML(b.String()), err // output of a template that escapes
	}
	text, err := template.New(lang+".html").Funcs(template.FuncMap{
		"phone":   func(name, says string) (template.HTML, error) { return show(name, says, false) },
		"desktop": func(name, says string) (template.HTML, error) { return show(name, says, true) },
	}).ParseFS(files, "text/"+lang+".html")
	if err != nil {
		return g, fmt.Errorf("the guide: %w", err)
	}
	s := source{text, lang}
	if g.Title, err = s.part("title"); err != nil {
		return g, err
	}
	if g.Lead, err = s.part("lead"); err != nil {
		return g, err
	}
	for _, c := range chapters {
		a, err := s.article(c.id)
		if err != nil {
			return g, err
		}
		for _, id := range c.below {
			question, err := s.article(id)
			if err != nil {
				return g, err
			}
			a.Below = append(a.Below, question)
		}
		g.Chapters = append(g.Chapters, a)
	}
	return g, nil
}

// source is the file of one language.
type source struct {
	text *template.Template
	lang string
}

func (s source) article(id string) (Article, error) {
	title, err := s.part(id + "-title")
	if err != nil {
		return Article{}, err
	}
	body, err := s.part(id)
	return Article{ID: id, Title: title, Body: template.HTML(body)}, err // the program's own text, from a template that escapes
}

func (s source) part(name string) (string, error) {
	if s.text.Lookup(name) == nil {
		return "", fmt.Errorf("the guide: text/%s.html has no %q", s.lang, name)
	}
	var b bytes.Buffer
	err := s.text.ExecuteTemplate(&b, name, nil)
	return b.String(), err
}

// Articles returns the chapters and the questions, the questions first: they answer what
// somebody asks more closely.
func (g Guide) Articles() (all []Article) {
	for _, c := range g.Chapters {
		all = append(all, c.Below...)
	}
	return append(all, g.Chapters...)
}

// What is not read as text: tags, and figures with their captions.
var (
	figures = regexp.MustCompile(`(?s)<figure.*?</figure>`)
	tags    = regexp.MustCompile(`<[^>]*>`)
	bold    = strings.NewReplacer("<b>", "", "</b>", "") // within a sentence
)

// Text returns the article's words without marks and pictures.
func (a Article) Text() string {
	plain := tags.ReplaceAllString(bold.Replace(figures.ReplaceAllString(string(a.Body), " ")), " ")
	return strings.Join(strings.Fields(strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&amp;", "&").Replace(plain)), " ")
}
