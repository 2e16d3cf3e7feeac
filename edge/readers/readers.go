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
	// State is that reader's state, as every page's status bar tells it.
	State() edge.DeviceState
	// Own names the counter's reader; known is false where none was taken yet.
	Own() (name, serial string, known bool)
	// IsOwn tells whether a reader is the counter's.
	IsOwn(r rdservice.Device) bool
	// Choose makes a reader the counter's.
	Choose(r rdservice.Device) error
	// Changes grows when the readers are no longer as they were.
	Changes() int
	// Capture asks for one finger. *edge.CaptureError.
	Capture(ctx context.Context) (edge.Capture, error)
}

// maxAge is how long a look is believed while the device tells of no change:
// less than the beat at which open pages ask again, and long enough that pages
// which ask at every ring do not keep the readers busy.
const maxAge = 25 * time.Second

// Room is the page's room.
type Room struct {
	device Device
	now    func() time.Time
	kit    *web.Kit
	wanted chan struct{} // a look that Run takes; one stands for all that ask

	mu     sync.Mutex
	found  []rdservice.Device
	at     int       // Device.Changes before the look
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
	return &Room{device: device, now: now, wanted: make(chan struct{}, 1)}, nil
}

// Run looks anew for pages that found the last look old, and rings when it has
// looked, until ctx ends; it returns nil.
func (r *Room) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.wanted:
		}
		// A capture that is in the way rings when it ends, and the pages ask again.
		if err := r.look(ctx); err == nil {
			r.kit.Ring()
		}
	}
}

// Name is the room's.
func (*Room) Name() string { return "readers" }

// Files are its templates and texts.
func (*Room) Files() fs.FS { return files }

// Register adds GET /devices, POST /devices/look, /devices/test and /devices/use.
func (r *Room) Register(mux *http.ServeMux, kit *web.Kit) {
	r.kit = kit
	mux.HandleFunc("GET /devices", kit.Get(r.list))
	mux.HandleFunc("POST /devices/look", kit.Post(r.lookAgain))
	mux.HandleFunc("POST /devices/test", kit.Post(r.try))
	mux.HandleFunc("POST /devices/use", kit.Post(kit.Confirmed(r.choose, "address", "serial")))
	// A page that answers a form asks its own address for news.
	mux.HandleFunc("GET /devices/use", kit.Get(r.list))
}

// Entries leads here from the first page.
func (*Room) Entries(ses *web.Session) []web.Entry {
	w := ses.Words()
	return []web.Entry{{Href: "/devices", Icon: "finger", Title: w.Say("readers.title"), Hint: w.Say("readers.hint"), Key: "r"}}
}

type listPage struct {
	Readers         []shown
	Looked          string
	Never           bool   // no look succeeded yet
	Own             string // which reader is the counter's, and what to do where it is not there
	Missing         bool   // it is not there
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
	Address     string // of one that the owner may choose; empty: the counter's own, or one that can't be
	Said        string // its serial number, as it said it
}

func (r *Room) list(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	r.mu.Lock()
	never := r.looked.IsZero()
	r.mu.Unlock()
	alert := ""
	if never && r.look(req.Context()) != nil {
		alert = ses.Words().Say("readers.busy")
	}
	r.show(w, req, ses, alert)
}

// look has the device look. Errors are those of Device.Readers.
func (r *Room) look(ctx context.Context) error {
	at := r.device.Changes() // before: what changes meanwhile is looked at again
	found, err := r.device.Readers(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found, r.at, r.looked = found, at, r.now()
	return nil
}

// old tells whether the readers are no longer as the last look found them, and
// asks Run for a look where that or the look's age calls for one; r.mu is held.
func (r *Room) old() bool {
	changed := !r.looked.IsZero() && r.at != r.device.Changes()
	if changed || r.now().Sub(r.looked).Abs() >= maxAge {
		select {
		case r.wanted <- struct{}{}:
		default: // asked for already
		}
	}
	return changed
}

func (r *Room) lookAgain(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	if r.look(req.Context()) != nil {
		r.show(w, req, ses, ses.Words().Say("readers.busy"))
		return
	}
	r.kit.Ring() // other tabs show it, too
	http.Redirect(w, req, "/devices", http.StatusSeeOther)
}

// choose makes a reader the counter's, as the owner saw it: another one that came to
// its address meanwhile is not meant.
func (r *Room) choose(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	r.mu.Lock()
	i := slices.IndexFunc(r.found, func(d rdservice.Device) bool {
		return d.Service.Address == req.PostForm.Get("address") && d.Info.Serial == req.PostForm.Get("serial")
	})
	var chosen rdservice.Device
	if i >= 0 {
		chosen = r.found[i]
	}
	r.mu.Unlock()
	if i < 0 || r.device.Choose(chosen) != nil {
		r.show(w, req, ses, ses.Words().Say("readers.own.failed"))
		return
	}
	r.kit.Ring()
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
	say, inUse, now, state := ses.Words(), r.device.InUse(), r.now(), r.device.State()
	r.mu.Lock()
	p, old := listPage{Never: r.looked.IsZero()}, r.old()
	p.Own, p.Missing = r.own(say)
	for _, d := range r.found {
		out := tell(say, d, inUse, now)
		r.mark(say, &out, d)
		if ses.Operator.Role != edge.RoleOwner {
			out.Address = ""
		}
		switch {
		case out.InUse: // as the status bar says
			out.State, out.Tone = condition(say, rdservice.Status(state.Status))
		case old:
			out.State, out.Tone = say.Say("readers.again"), "warn"
		}
		p.Readers = append(p.Readers, out)
	}
	switch {
	case p.Never:
	case old:
		p.Looked = say.Say("readers.changed", "time", say.Clock(r.looked, now))
	default:
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

// own says which reader is the counter's; r.mu is held.
func (r *Room) own(say *words.Words) (text string, missing bool) {
	name, serial, known := r.device.Own()
	switch {
	case !known:
		return say.Say("readers.own.none"), false
	case slices.ContainsFunc(r.found, r.device.IsOwn):
		return say.Say("readers.own", "name", name, "serial", serial), false
	}
	return say.Say("readers.own.missing", "name", name, "serial", serial), true
}

// mark says of a reader whether it is the counter's, and lets an owner choose it.
func (r *Room) mark(say *words.Words, out *shown, d rdservice.Device) {
	_, _, known := r.device.Own()
	told := d.Info.Serial != "" || d.Info.DC != ""
	switch {
	case !known && !told, r.device.IsOwn(d):
	case !told:
		out.Use = say.Say("readers.own.untold")
	default:
		out.Address, out.Said = d.Service.Address, d.Info.Serial
		if known {
			out.Use = say.Say("readers.own.other")
		}
	}
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

// state is what a look found of a reader.
func state(w *words.Words, d rdservice.Device) (text, tone string) {
	if d.Service.CapturePath == "" && d.Service.Status == rdservice.Ready {
		return condition(w, rdservice.NotReady)
	}
	return condition(w, d.Service.Status)
}

func condition(w *words.Words, s rdservice.Status) (text, tone string) {
	switch s {
	case rdservice.Ready:
		return w.Say("readers.ready"), "ok"
	case rdservice.Used:
		return w.Say("readers.used"), "warn"
	}
	return w.Say("readers.notready"), "bad"
}
