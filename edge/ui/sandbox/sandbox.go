package sandbox

import (
	"embed"
	"net/http"

	"galla/edge"
	"galla/edge/ui"
)

//go:embed templates messages
var files embed.FS

// Counter tells whether the central is a sandbox.
type Counter interface{ Status() edge.Status }

// Links are the addresses of the sandbox's other pages, as http://127.0.0.1:7300; an empty
// one is not linked.
type Links struct {
	Simulator string // of the simulated fingerprint reader
	Bank      string // of the sandbox's bank, which lists the inboxes of its customers
}

// Pages is the section.
type Pages struct {
	counter Counter
	links   Links
	kit     *ui.Kit
}

// New creates the section.
func New(counter Counter, links Links) *Pages { return &Pages{counter: counter, links: links} }

// Contents implements ui.Section: GET /sandbox.
func (p *Pages) Contents(kit *ui.Kit) ui.Contents {
	p.kit = kit
	return ui.Contents{Name: "sandbox", Files: files, Chips: p.chips, Pages: map[string]ui.Handler{"GET /sandbox": p.show}}
}

// chips returns the badge. Its tone is a warning: no page of a sandbox may look like one
// that moves real money.
func (p *Pages) chips(ses *ui.Session) []ui.Chip {
	if !p.counter.Status().Sandbox {
		return nil
	}
	w := ses.Words()
	return []ui.Chip{{Name: w.Text("sandbox.title"), Icon: "warn", Tone: "warn", Text: w.Text("sandbox.title"), Detail: w.Text("sandbox.lead"), Href: "/sandbox"}}
}

func (p *Pages) show(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	if !p.counter.Status().Sandbox {
		p.kit.NotFound(w, r, ses)
		return
	}
	p.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "sandbox/sandbox", Title: ses.Words().Text("sandbox.title"), Back: "/", Data: p.links})
}
