package update

import (
	"embed"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"galla/edge/web"
)

//go:embed templates messages icons
var files embed.FS

// Room is the page of this program: its version, and what is known of newer ones.
type Room struct {
	version string
	stands  func() Standing // nil: it is not updated by itself
	now     func() time.Time
	kit     *web.Kit
}

// NewRoom makes the page of a program of some version; stands is an Updater's
// Standing, nil where the program is not updated by itself.
func NewRoom(version string, stands func() Standing) *Room {
	return &Room{version: version, stands: stands, now: time.Now}
}

// Name is the room's.
func (*Room) Name() string { return "update" }

// Files are its templates and texts.
func (*Room) Files() fs.FS { return files }

// Register adds GET /program.
func (r *Room) Register(mux *http.ServeMux, kit *web.Kit) {
	r.kit = kit
	mux.HandleFunc("GET /program", kit.Get(r.page))
}

// Entries leads here from the first page.
func (*Room) Entries(ses *web.Session) []web.Entry {
	w := ses.Words()
	return []web.Entry{{Href: "/program", Icon: "program", Title: w.Say("update.title"), Hint: w.Say("update.hint")}}
}

// Chips says on every page that an update waits.
func (r *Room) Chips(ses *web.Session) []web.Chip {
	if r.stands == nil || r.stands().Waiting == "" {
		return nil
	}
	w := ses.Words()
	return []web.Chip{{Name: w.Say("update.title"), Icon: "wait", Tone: "ok", Text: w.Say("update.chip"), Detail: w.Say("update.waits"), Href: "/program"}}
}

type programPage struct {
	Facts []web.Fact
	Title string // what is known of newer versions
	Text  string // and what it means; empty: nothing more
	Wrong string // about the last look; empty: it was answered
}

func (r *Room) page(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	say := ses.Words()
	p := programPage{Facts: []web.Fact{{Label: say.Say("update.own"), Value: r.version}}, Title: say.Say("update.off")}
	if r.stands != nil {
		s := r.stands()
		looked := say.Say("update.never")
		if !s.Looked.IsZero() {
			looked = say.Clock(s.Looked, r.now())
		}
		p.Facts = append(p.Facts, web.Fact{Label: say.Say("update.looked"), Value: looked})
		if s.Problem != "" {
			p.Wrong = say.Say("update.problem") // the reason is in the log, for whoever can mend it
		}
		switch {
		case s.Waiting != "":
			p.Title, p.Text = say.Say("update.waits"), say.Say("update.waits.text", "version", string(s.Waiting))
		case s.Fetched > 0:
			p.Title = say.Say("update.fetching", "percent", strconv.Itoa(s.Fetched))
		default:
			p.Title = say.Say("update.none")
		}
	}
	r.kit.Render(w, req, ses, http.StatusOK, web.Page{Name: "update/program", Title: say.Say("update.title"), Back: "/", Data: p})
}
