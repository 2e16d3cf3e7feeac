package readers

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/web"
	"galla/edge/words"
	"galla/rdservice"
)

//go:embed templates messages
var files embed.FS

// Device is what the page needs of device.Device.
type Device interface {
	// Readers gives every reader, best first; rdservice.ErrBusy while one
	// captures.
	Readers(ctx context.Context) ([]rdservice.Device, error)
	// InUse is the address of the reader that captures go to.
	InUse() string
	// Capture asks for one finger. *edge.CaptureError.
	Capture(ctx context.Context) (edge.Capture, error)
}

// Room is the page's room.
type Room struct {
	device Device
	now    func() time.Time
	kit    *web.Kit

	mu     sync.Mutex
	found  []rdservice.Device
	looked time.Time // zero: never
	test   outcome
}

// outcome is how the last test ended; it holds nothing of the finger.
type outcome struct {
	done    bool
	quality int
	failed  bool
	code    string
	message string // the reader's, English
}

var _ web.Room = (*Room)(nil)

// New makes the room; now is time.Now where nil.
func New(device Device, now func() time.Time) (*Room, error) {
	if device == nil {
		return nil, errors.New("the page of readers needs a device")
	}
	if now == nil {
		now = time.Now
	}
	return &Room{device: device, now: now}, nil
}

// Name is the room's.
func (*Room) Name() string { return "readers" }

// Files are its templates and texts.
func (*Room) Files() fs.FS { return files }

// Register adds GET /devices, POST /devices/look and POST /devices/test.
func (r *Room) Register(mux *http.ServeMux, kit *web.Kit) {
	r.kit = kit
	mux.HandleFunc("GET /devices", kit.Get(r.list))
	mux.HandleFunc("POST /devices/look", kit.Post(r.lookAgain))
	mux.HandleFunc("POST /devices/test", kit.Post(r.try))
}

// Entries leads here from the first page.
func (*Room) Entries(ses *web.Session) []web.Entry {
	w := ses.Words()
	return []web.Entry{{Href: "/devices", Icon: "finger", Title: w.Say("readers.title"), Hint: w.Say("readers.hint"), Key: "r"}}
}

type listPage struct {
	Table           web.Table
	Looked, Renew   string
	Good, Bad, Code string
}

func (r *Room) list(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	r.mu.Lock()
	never := r.looked.IsZero()
	r.mu.Unlock()
	alert := ""
	if never {
		alert = r.look(req.Context(), ses.Words())
	}
	r.show(w, req, ses, alert)
}

// look has the device look, and gives what went wrong in words.
func (r *Room) look(ctx context.Context, say *words.Words) string {
	found, err := r.device.Readers(ctx)
	if err != nil {
		return say.Say("readers.busy")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found, r.looked = found, r.now()
	return ""
}

func (r *Room) lookAgain(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	if alert := r.look(req.Context(), ses.Words()); alert != "" {
		r.show(w, req, ses, alert)
		return
	}
	http.Redirect(w, req, "/devices", http.StatusSeeOther)
}

// try captures the agent's own finger and drops it.
func (r *Room) try(w http.ResponseWriter, req *http.Request, _ *web.Session) {
	got, err := r.device.Capture(req.Context())
	o := outcome{done: true, quality: got.Quality}
	var failed *edge.CaptureError
	switch {
	case errors.As(err, &failed):
		o.failed, o.code, o.message = true, failed.Code, failed.Message
	case err != nil:
		o.failed = true
	}
	r.mu.Lock()
	r.test = o
	r.mu.Unlock()
	http.Redirect(w, req, "/devices", http.StatusSeeOther)
}

func (r *Room) show(w http.ResponseWriter, req *http.Request, ses *web.Session, alert string) {
	say, inUse, now := ses.Words(), r.device.InUse(), r.now()
	r.mu.Lock()
	p := listPage{Table: table(say, r.found, inUse, now)}
	if !r.looked.IsZero() {
		p.Looked = say.Say("readers.looked", "time", say.Clock(r.looked, now))
	}
	for _, d := range r.found {
		if s := d.Info.Certificate(now); s == rdservice.CertificateEnded || s == rdservice.CertificateEnding {
			p.Renew = say.Say("readers.renew")
		}
	}
	switch o := r.test; {
	case o.failed:
		p.Bad, p.Code = say.Say("readers.test.bad"), o.code
		if say.Code() == words.English && o.message != "" {
			p.Bad = o.message
		}
	case o.done:
		p.Good = say.Say("readers.test.good", "quality", strconv.Itoa(o.quality))
	}
	r.mu.Unlock()
	r.kit.Render(w, req, ses, http.StatusOK, web.Page{Name: "readers/list", Title: say.Say("readers.title"), Back: "/", Alert: alert, Data: p})
}

// table puts the readers into rows.
func table(w *words.Words, found []rdservice.Device, inUse string, now time.Time) web.Table {
	t := web.Table{Caption: w.Say("readers.title"), Empty: w.Say("readers.empty")}
	for _, column := range []string{"maker", "model", "status", "use", "certificate", "level", "serial"} {
		t.Heads = append(t.Heads, web.Head{Text: w.Say("readers." + column)})
	}
	or := func(s string) web.Cell { return web.Cell{Text: cmp.Or(s, w.Say("readers.unknown"))} }
	for _, d := range found {
		l := d.Listing()
		use := web.Cell{Text: w.Say("readers.use.none")}
		if l.Address == inUse {
			use = web.Cell{Text: w.Say("readers.use.capture"), Tone: "ok"}
		}
		t.Rows = append(t.Rows, []web.Cell{
			or(l.Vendor), or(l.MI), state(w, d), use, certificate(w, d, now), or(string(l.Level)), or(l.Serial),
		})
	}
	return t
}

func state(w *words.Words, d rdservice.Device) web.Cell {
	switch d.Service.Status {
	case rdservice.Ready:
		if d.Service.CapturePath != "" {
			return web.Cell{Text: w.Say("readers.ready"), Tone: "ok"}
		}
	case rdservice.Used:
		return web.Cell{Text: w.Say("readers.used"), Tone: "warn"}
	}
	return web.Cell{Text: w.Say("readers.notready"), Tone: "bad"}
}

func certificate(w *words.Words, d rdservice.Device, now time.Time) web.Cell {
	day := w.Date(d.Info.CertificateEnds)
	switch d.Info.Certificate(now) {
	case rdservice.CertificateEnded:
		return web.Cell{Text: w.Say("readers.ended", "day", day), Tone: "bad"}
	case rdservice.CertificateEnding:
		return web.Cell{Text: w.Say("readers.ending", "day", day), Tone: "warn"}
	case rdservice.CertificateGood:
		return web.Cell{Text: day, Tone: "ok"}
	}
	return web.Cell{Text: w.Say("readers.unknown")}
}
