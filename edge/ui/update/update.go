package update

import (
	"embed"
	"net/http"
	"strconv"
	"time"

	"galla/edge/ui"
	"galla/edge/update"
)

//go:embed templates messages icons
var files embed.FS

// Pages is the section "This program": its version and newer ones.
type Pages struct {
	version string
	status  func() update.Status // nil: no automatic updates
	now     func() time.Time
	kit     *ui.Kit
}

// New creates the section of a program's version; status is an Updater's Status, nil
// without automatic updates.
func New(version string, status func() update.Status) *Pages {
	return &Pages{version: version, status: status, now: time.Now}
}

// Contents implements ui.Section: GET /program.
func (p *Pages) Contents(kit *ui.Kit) ui.Contents {
	p.kit = kit
	return ui.Contents{
		Name: "update", Files: files, Chips: p.chips,
		Menu:  []ui.MenuItem{{Href: "/program", Icon: "program", Title: "update.title", Hint: "update.hint"}},
		Pages: map[string]ui.Handler{"GET /program": p.show},
	}
}

func (p *Pages) chips(ses *ui.Session) []ui.Chip {
	if p.status == nil || p.status().Waiting == "" {
		return nil
	}
	w := ses.Words()
	return []ui.Chip{{Name: w.Text("update.title"), Icon: "wait", Tone: "ok", Text: w.Text("update.chip"), Detail: w.Text("update.waits"), Href: "/program"}}
}

type programPage struct {
	Facts []ui.Fact
	Title string // what is known of newer versions
	Text  string // what it means; may be empty
	Wrong string // the last check failed; empty: it did not
}

func (p *Pages) show(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	words := ses.Words()
	d := programPage{Facts: []ui.Fact{{Label: words.Text("update.version"), Value: p.version}}, Title: words.Text("update.off")}
	if p.status != nil {
		s := p.status()
		checked := words.Text("update.never")
		if !s.CheckedAt.IsZero() {
			checked = words.ShortTime(s.CheckedAt, p.now())
		}
		d.Facts = append(d.Facts, ui.Fact{Label: words.Text("update.checked"), Value: checked})
		if s.Problem != "" {
			d.Wrong = words.Text("update.failed") // the log has the reason
		}
		switch {
		case s.Waiting != "":
			d.Title, d.Text = words.Text("update.waits"), words.Text("update.waits.text", "version", string(s.Waiting))
		case s.Fetched > 0:
			d.Title = words.Text("update.fetching", "percent", strconv.Itoa(s.Fetched))
		default:
			d.Title = words.Text("update.none")
		}
	}
	p.kit.Render(w, req, ses, http.StatusOK, ui.Page{Name: "update/program", Title: words.Text("update.title"), Back: "/", Data: d})
}
