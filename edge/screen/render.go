package screen

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"strings"

	"galla/edge"
)

//go:embed templates
var templateFiles embed.FS

//go:embed icons
var iconFiles embed.FS

// page is what every template gets.
type page struct {
	Name    string // of the template
	Title   string
	Lang    string
	CSRF    string
	Bar     bar
	Back    string // where Escape leads; empty: nowhere
	Refresh string // of a page without scripts: seconds, and the address
	Alert   string // something went wrong with what was just asked
	Locked  bool   // the PIN was not given
	Data    any    // of the page's own template
}

// loadPages parses every page's template together with the shared ones.
func (s *Screen) loadPages() (map[string]*template.Template, error) {
	base := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"t":     s.words.say,
		"n":     s.words.count,
		"asset": s.static.url,
		"icon":  icon,
	})
	base, err := base.ParseFS(templateFiles, "templates/layout.html", "templates/pieces.html")
	if err != nil {
		return nil, fmt.Errorf("read the page layout: %w", err)
	}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	pages := map[string]*template.Template{}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".html")
		if name == "layout" || name == "pieces" {
			continue
		}
		own, err := base.Clone()
		if err == nil {
			own, err = own.ParseFS(templateFiles, path.Join("templates", f.Name()))
		}
		if err != nil {
			return nil, fmt.Errorf("read the page %s: %w", name, err)
		}
		pages[name] = own
	}
	return pages, nil
}

// icon gives a drawing to stand inside a page. It is decoration: the words
// beside it say the same.
func icon(name string) (template.HTML, error) {
	b, err := iconFiles.ReadFile("icons/" + name + ".svg")
	if err != nil {
		return "", fmt.Errorf("no icon %q", name)
	}
	svg := strings.Replace(strings.TrimSpace(string(b)), "<svg ", `<svg class="icon" aria-hidden="true" focusable="false" `, 1)
	return template.HTML(svg), nil // embedded, so as trusted as the program
}

// render writes a page, or only its parts where a script asked for them. The
// page is made whole before the first byte is sent.
func (s *Screen) render(w http.ResponseWriter, r *http.Request, ses *session, status int, p page) {
	st := s.counter.Status()
	p.Lang, p.Bar, p.Locked = s.words.lang.String(), s.status(st, ses), ses == nil
	if ses != nil {
		p.CSRF = s.sessions.token(ses.id)
	}
	if p.Refresh != "" {
		p.Refresh = p.Refresh + ";url=" + auto(r)
	}
	whole := "document"
	if part(r) {
		whole = "parts"
	}
	var b bytes.Buffer
	if err := s.pages[p.Name].ExecuteTemplate(&b, whole, p); err != nil {
		s.log.Error("a page can't be made", "page", p.Name, "error", err)
		http.Error(w, s.words.say("error.broken"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that went away needs no answer
}

// auto is the page's own address, marked so that its refresh is no touch. What
// a step answered is refreshed as the page that it was on.
func auto(r *http.Request) string {
	u := *r.URL
	if r.Method == http.MethodPost {
		u.Path = pageOf(u.Path)
	}
	q := u.Query()
	q.Set("auto", "1")
	q.Del("part")
	u.RawQuery = q.Encode()
	return u.RequestURI()
}

// message shows a page with one text, title and body of a key.
func (s *Screen) message(w http.ResponseWriter, r *http.Request, ses *session, status int, key string) {
	s.render(w, r, ses, status, page{
		Name: "message", Title: s.words.say(key + ".title"), Back: "/",
		Data: struct{ Title, Text string }{s.words.say(key + ".title"), s.words.say(key)},
	})
}

// nowhere answers for paths that do not exist.
func (s *Screen) nowhere(w http.ResponseWriter, r *http.Request, ses *session) {
	s.message(w, r, ses, http.StatusNotFound, "error.nowhere")
}

// failed answers for an operation that could not be read or changed.
func (s *Screen) failed(w http.ResponseWriter, r *http.Request, ses *session, err error) {
	if errors.Is(err, edge.ErrNotFound) {
		s.message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	s.log.Error("an operation can't be shown", "path", r.URL.Path, "error", err)
	s.message(w, r, ses, http.StatusInternalServerError, "error.disk")
}
