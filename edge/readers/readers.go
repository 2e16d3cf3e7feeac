package readers

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/web"
	"galla/edge/words"
	"galla/rdservice"
)

//go:embed templates messages static
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
	Readers         []shown
	Looked          string
	Good, Bad, Code string // of the last test
}

// shown is a reader as the page tells of it.
type shown struct {
	Name        string // maker and model
	State       string
	Tone        string // of the state: ok, warn, bad
	InUse       bool   // captures go to it
	Use         string
	Certificate string
	Ending      bool   // the certificate ends soon, or has ended
	Renew       string // what to do about it
	Level       string
	Serial      string
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
	p := listPage{}
	for _, d := range r.found {
		p.Readers = append(p.Readers, tell(say, d, inUse, now))
	}
	if !r.looked.IsZero() {
		p.Looked = say.Say("readers.looked", "time", say.Clock(r.looked, now))
	}
	switch o := r.test; {
	case o.failed:
		p.Bad, p.Code = say.Say("readers.test.bad"), o.code
		if say.Code() == words.English && o.message != "" {
			p.Bad = o.message
		}
	case o.done && o.quality <= 0: // the reader told none
		p.Good = say.Say("readers.test.done")
	case o.done:
		p.Good = say.Say("readers.test.good", "quality", strconv.Itoa(o.quality))
	}
	r.mu.Unlock()
	r.kit.Render(w, req, ses, http.StatusOK, web.Page{Name: "readers/list", Title: say.Say("readers.title"), Back: "/", Alert: alert, Data: p})
}

// tell puts a reader into words.
func tell(w *words.Words, d rdservice.Device, inUse string, now time.Time) shown {
	l, unknown := d.Listing(), w.Say("readers.unknown")
	out := shown{
		Name: cmp.Or(strings.TrimSpace(l.Vendor+" "+l.MI), strings.TrimSpace(l.Info), unknown), InUse: l.Address == inUse || slices.Contains(d.Also, inUse),
		Use: w.Say("readers.use.none"), Certificate: unknown, Level: cmp.Or(string(l.Level), unknown), Serial: cmp.Or(l.Serial, unknown),
	}
	if out.InUse {
		out.Use = w.Say("readers.use.capture")
	}
	out.State, out.Tone = state(w, d)
	day := w.Date(d.Info.CertificateEnds)
	switch d.Info.Certificate(now) {
	case rdservice.CertificateEnded:
		out.Certificate, out.Ending = w.Say("readers.ended", "day", day), true
	case rdservice.CertificateEnding:
		out.Certificate, out.Ending = w.Say("readers.ending", "day", day), true
	case rdservice.CertificateGood:
		out.Certificate = day
	}
	if out.Ending {
		out.Renew = w.Say("readers.renew")
	}
	return out
}

func state(w *words.Words, d rdservice.Device) (text, tone string) {
	switch d.Service.Status {
	case rdservice.Ready:
		if d.Service.CapturePath != "" {
			return w.Say("readers.ready"), "ok"
		}
	case rdservice.Used:
		return w.Say("readers.used"), "warn"
	}
	return w.Say("readers.notready"), "bad"
}
