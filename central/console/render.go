package console

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/central/operator"
	"galla/shared/look"
	"galla/shared/money"
)

// page is what a handler gives to be shown.
type page struct {
	Name  string // of its template
	Title string
	Back  string // where it leads back to; empty: nowhere
	Alert string // what went wrong with what was just asked
	Fine  string // what was just done
	Data  any    // of the page's own template
}

// View is what templates get.
type View struct {
	page
	Who    operator.Person // zero: nobody is signed in
	CSRF   string
	Here   string // the page's path
	Ways   []entry
	Styles []string
	Node   string
	Proven bool // a code was typed not long ago: privileged forms ask for none
}

// May tells whether who is signed in has at least a role.
func (v View) May(need operator.Role) bool { return v.Who.Role.May(need) }

// At tells whether the page is one of a bar's entry: its own, or one below it.
func (v View) At(href string) bool {
	return v.Here == href || strings.HasPrefix(v.Here, href+"/")
}

// Has tells whether the bar has an entry: a room may be missing.
func (v View) Has(href string) bool {
	return slices.ContainsFunc(v.Ways, func(e entry) bool { return e.Href == href })
}

// pages are the templates, by page.
type pages struct{ byName map[string]*template.Template }

// loadPages parses every page's template together with the layout and the
// pieces.
func loadPages(files *static, rooms []fs.FS) (*pages, error) {
	base := template.New("").Option("missingkey=error").Funcs(template.FuncMap{
		"asset": files.url, "icon": icon, "when": when, "rupees": rupees, "age": age, "kind": kind,
	})
	base, err := base.ParseFS(own, "templates/layout.html", "templates/pieces.html")
	if err != nil {
		return nil, fmt.Errorf("read the console's layout: %w", err)
	}
	p := &pages{byName: map[string]*template.Template{}}
	for _, from := range append([]fs.FS{own}, rooms...) {
		if err := p.load(base, from); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// load parses the pages of one room.
func (p *pages) load(base *template.Template, from fs.FS) error {
	pieces, err := fs.Glob(from, "templates/pieces/*.html")
	if err == nil && len(pieces) > 0 {
		if base, err = base.Clone(); err == nil {
			base, err = base.ParseFS(from, pieces...)
		}
	}
	if err != nil {
		return fmt.Errorf("read the pieces of the console's pages: %w", err)
	}
	found, err := fs.Glob(from, "templates/*.html")
	if err != nil {
		return fmt.Errorf("list the console's pages: %w", err)
	}
	for _, file := range found {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name == "layout" || name == "pieces" {
			continue
		}
		if p.byName[name] != nil {
			return fmt.Errorf("two rooms of the console have a page %s", name)
		}
		one, err := base.Clone()
		if err == nil {
			one, err = one.ParseFS(from, file)
		}
		if err != nil {
			return fmt.Errorf("the console's page %s: %w", name, err)
		}
		if one.Lookup("main") == nil {
			return fmt.Errorf("the console's page %s defines no template \"main\"", name)
		}
		p.byName[name] = one
	}
	return nil
}

// render writes a page. It is made whole before the first byte is sent.
func (c *Console) render(w http.ResponseWriter, r *http.Request, v *visit, status int, p page) {
	view := View{page: p, CSRF: v.CSRF, Here: r.URL.Path, Who: v.Person, Proven: v.Proven(time.Now()), Node: c.cfg.Node, Styles: append(append(look.Sheets(), "console.css"), c.roomSheets()...)}
	if view.Fine == "" {
		name := r.URL.Query().Get("done")
		view.Fine = cmp.Or(done(name), c.roomDone(name))
	}
	for _, e := range c.ways() {
		if v.Role.May(e.need) {
			view.Ways = append(view.Ways, e)
		}
	}
	var b bytes.Buffer
	t := c.pages.byName[p.Name]
	err := fmt.Errorf("no template %q", p.Name)
	if t != nil {
		err = t.ExecuteTemplate(&b, "document", view)
	}
	if err != nil {
		c.log.Error("a page of the console can't be made", "page", p.Name, "error", err)
		http.Error(w, "This page broke. The log has the reason.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that went away needs no answer
}

// done is what a page says after a step that led to it, by its name in the
// address.
func done(name string) string {
	return map[string]string{
		"signed-out": "You are signed out.",
		"added":      "The person was added.",
		"role":       "The role was changed, or where the person is to become an admin, waits for a second admin; the person's sessions have ended.",
		"approved":   "It is approved.",
		"disabled":   "The person was put out; the sessions have ended.",
		"password":   "Your password was changed; your other sessions have ended.",
		"asked":      "The bank is asked now. The history shows its word in a few seconds: load the page again.",
		"opened":     "The case was opened.",
		"proposed":   "The proposal was made. Another person confirms it, or rejects it.",
		"confirmed":  "The case is decided. Where its operation was not final, it is settled within seconds.",
		"rejected":   "The proposal was rejected; the case is open again.",
		"withdrawn":  "The decision was withdrawn; the case is open again.",
		"imported":   "The file was imported and compared.",
		"again":      "The same file was imported before; nothing was done.",
	}[name]
}

// india is the zone of every date and time that people here read.
var india = time.FixedZone("IST", 5*3600+1800)

// when prints a moment of India; none is empty.
func when(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(india).Format("2 Jan 2006, 15:04:05")
}

// age prints for how long something has been so, in its two largest units.
func age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// rupees prints an amount; none is empty.
func rupees(p money.Paise) string {
	if p == 0 {
		return ""
	}
	return p.Rupees()
}

// kind names what an operation is: CASH_WITHDRAWAL is a cash withdrawal.
func kind(k central.Kind) string {
	words := strings.Split(strings.ToLower(string(k)), "_")
	for i, w := range words {
		switch {
		case w == "otp" || w == "pan" || w == "uid":
			words[i] = strings.ToUpper(w)
		case i == 0 && w != "":
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// icon gives a drawing to stand inside a page, beside words that say the same.
func icon(name string) (template.HTML, error) {
	b, err := fs.ReadFile(look.Files(), "icons/"+name+".svg")
	if err != nil {
		return "", fmt.Errorf("no icon %q: %w", name, err)
	}
	// Embedded, so as trusted as the program.
	return template.HTML(strings.Replace(strings.TrimSpace(string(b)), "<svg ", `<svg class="icon" aria-hidden="true" focusable="false" `, 1)), nil
}

// static serves the styles under a path that holds the fingerprint of all of
// them, so that a browser may keep them for ever.
type static struct {
	stamp string
	files map[string][]byte
}

func loadStatic(rooms []fs.FS) (*static, error) {
	s := &static{files: map[string][]byte{}}
	sum := sha256.New()
	for _, from := range append([]fs.FS{look.Files(), own}, rooms...) {
		found, err := fs.Glob(from, "static/*")
		if err != nil {
			return nil, fmt.Errorf("list the console's styles: %w", err)
		}
		for _, name := range found {
			b, err := fs.ReadFile(from, name)
			if err != nil {
				return nil, fmt.Errorf("read the console's styles: %w", err)
			}
			fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(b), b)
			s.files[path.Base(name)] = b
		}
	}
	s.stamp = hex.EncodeToString(sum.Sum(nil)[:8])
	return s, nil
}

// url is where a page finds a file; an unknown name is an error of the template.
func (s *static) url(name string) (string, error) {
	if _, ok := s.files[name]; !ok {
		return "", fmt.Errorf("no embedded file %q", name)
	}
	return Root + "static/" + s.stamp + "/" + name, nil
}

func (s *static) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	b, ok := s.files[name]
	kind := map[string]string{".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(name)]
	if !ok || kind == "" || r.PathValue("stamp") != s.stamp {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(b) // a browser that went away needs no answer
}
