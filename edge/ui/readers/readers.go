package readers

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui"
	"galla/rdservice"
)

//go:embed templates messages static
var files embed.FS

// Device is what the page needs of reader.Device.
type Device interface {
	// List returns every reader, best first; rdservice.ErrBusy during a capture.
	List(ctx context.Context) ([]rdservice.Device, error)
	// AddressInUse is the address of the reader that captures use.
	AddressInUse() string
	// State is the state of the reader in use, as in the status bar.
	State() edge.ReaderState
	// AssignedName names the counter's reader; known is false where none is assigned.
	AssignedName() (name, serial string, known bool)
	// IsAssigned reports whether a reader is the counter's.
	IsAssigned(r rdservice.Device) bool
	// AssignFound makes a reader the counter's.
	AssignFound(r rdservice.Device) error
	// ChangeCount grows when the readers change.
	ChangeCount() int
	// Capture captures one finger. Error: *edge.CaptureError.
	Capture(ctx context.Context) (edge.Capture, error)
}

// maxAge is how old the list may be while the device reports no change: less than the
// interval at which open pages refresh, and long enough not to keep the readers busy.
const maxAge = 25 * time.Second

// Pages is the section of the readers' page.
type Pages struct {
	device          Device
	now             func() time.Time
	kit             *ui.Kit
	refreshRequests chan struct{} // wakes Run; one stands for all requests

	mu          sync.Mutex
	found       []rdservice.Device
	changesAt   int       // ChangeCount before the refresh
	refreshedAt time.Time // zero: never
	test        testResult
}

type testResult struct {
	done    bool
	quality int
	failed  bool
	code    string
	message string // the reader's own, English
}

// New makes the section; a nil now means time.Now.
func New(device Device, now func() time.Time) (*Pages, error) {
	if device == nil {
		return nil, errors.New("the page of readers needs a device")
	}
	if now == nil {
		now = time.Now
	}
	return &Pages{device: device, now: now, refreshRequests: make(chan struct{}, 1)}, nil
}

// Run refreshes the list when a page finds it outdated, then notifies the pages, until ctx
// ends; it returns nil.
func (r *Pages) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.refreshRequests:
		}
		// A capture in progress notifies when it ends, and the pages ask again.
		if err := r.refresh(ctx); err == nil {
			r.kit.Notify()
		}
	}
}

// Contents implements ui.Section. A page that answers a form refreshes from its own
// address: so that of the form is a page, too.
func (r *Pages) Contents(kit *ui.Kit) ui.Contents {
	r.kit = kit
	return ui.Contents{
		Name: "readers", Files: files,
		Menu: []ui.MenuItem{{Href: "/readers", Icon: "finger", Title: "readers.title", Hint: "readers.hint", Key: "r"}},
		Pages: map[string]ui.Handler{
			"GET /readers":       r.showList,
			"POST /readers/look": r.refreshNow,
			"POST /readers/test": r.testCapture,
			"POST /readers/use":  kit.OwnerConfirmed(r.choose, "address", "serial"),
			"GET /readers/use":   r.showList,
		},
	}
}

type listPage struct {
	Readers         []readerView
	Refreshed       string
	NeverRefreshed  bool   // no refresh has succeeded yet
	Own             string // which reader is the counter's, and what to do if it is missing
	Missing         bool   // the counter's reader is not connected
	Good, Bad, Code string // of the last test
}

type readerView struct {
	Name        string // maker and model
	State       string
	Tone        string // ok, warn, bad
	InUse       bool   // captures use it
	Use         string
	Certificate string
	Ending      bool   // the certificate ends soon or has ended
	Renew       string // what to do about it
	Level       string
	Serial      string
	Address     string // of a reader that the owner may choose; empty: already assigned, or unusable
	Reported    string // its serial number as it reported it
}

func (r *Pages) showList(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	r.mu.Lock()
	never := r.refreshedAt.IsZero()
	r.mu.Unlock()
	alert := ""
	if never && r.refresh(req.Context()) != nil {
		alert = ses.Words().Text("readers.busy")
	}
	r.render(w, req, ses, alert)
}

// refresh reads the list from the device. Errors are those of Device.List.
func (r *Pages) refresh(ctx context.Context) error {
	at := r.device.ChangeCount() // before, so that a change meanwhile causes another refresh
	found, err := r.device.List(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found, r.changesAt, r.refreshedAt = found, at, r.now()
	return nil
}

// isStale reports whether the readers have changed since the last refresh, and wakes Run
// where they have, or the list is too old. Call it with r.mu held.
func (r *Pages) isStale() bool {
	changed := !r.refreshedAt.IsZero() && r.changesAt != r.device.ChangeCount()
	if changed || r.now().Sub(r.refreshedAt).Abs() >= maxAge {
		select {
		case r.refreshRequests <- struct{}{}:
		default: // already requested
		}
	}
	return changed
}

func (r *Pages) refreshNow(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	if r.refresh(req.Context()) != nil {
		r.render(w, req, ses, ses.Words().Text("readers.busy"))
		return
	}
	r.kit.Notify() // for other tabs
	http.Redirect(w, req, "/readers", http.StatusSeeOther)
}

// choose assigns the reader that the owner saw. Another reader that took its address
// meanwhile is refused.
func (r *Pages) choose(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	r.mu.Lock()
	i := slices.IndexFunc(r.found, func(d rdservice.Device) bool {
		return d.Service.Address == req.PostForm.Get("address") && d.Info.Serial == req.PostForm.Get("serial")
	})
	var chosen rdservice.Device
	if i >= 0 {
		chosen = r.found[i]
	}
	r.mu.Unlock()
	if i < 0 || r.device.AssignFound(chosen) != nil {
		r.render(w, req, ses, ses.Words().Text("readers.own.failed"))
		return
	}
	r.kit.Notify()
	http.Redirect(w, req, "/readers", http.StatusSeeOther)
}

// testCapture captures the agent's own finger and discards it.
func (r *Pages) testCapture(w http.ResponseWriter, req *http.Request, _ *ui.Session) {
	got, err := r.device.Capture(req.Context())
	o := testResult{done: true, quality: got.Quality}
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
	http.Redirect(w, req, "/readers", http.StatusSeeOther)
}

func (r *Pages) render(w http.ResponseWriter, req *http.Request, ses *ui.Session, alert string) {
	words, inUse, now, state := ses.Words(), r.device.AddressInUse(), r.now(), r.device.State()
	r.mu.Lock()
	p, old := listPage{NeverRefreshed: r.refreshedAt.IsZero()}, r.isStale()
	p.Own, p.Missing = r.ownReader(words)
	for _, d := range r.found {
		out := describe(words, d, inUse, now)
		r.fillChoice(words, &out, d)
		if ses.Operator.Role != edge.RoleOwner {
			out.Address = ""
		}
		switch {
		case out.InUse: // as in the status bar
			out.State, out.Tone = statusText(words, rdservice.Status(state.Status))
		case old:
			out.State, out.Tone = words.Text("readers.refreshing"), "warn"
		}
		p.Readers = append(p.Readers, out)
	}
	switch {
	case p.NeverRefreshed:
	case old:
		p.Refreshed = words.Text("readers.changed", "time", words.ShortTime(r.refreshedAt, now))
	default:
		p.Refreshed = words.Text("readers.refreshed", "time", words.ShortTime(r.refreshedAt, now))
	}
	switch o := r.test; {
	case o.failed:
		p.Bad, p.Code = words.Text("readers.test.bad"), o.code
		if words.Code() == i18n.English && o.message != "" {
			p.Bad = o.message
		}
	case o.done && o.quality <= 0: // the reader reported none
		p.Good = words.Text("readers.test.done")
	case o.done:
		p.Good = words.Text("readers.test.good", "quality", strconv.Itoa(o.quality))
	}
	r.mu.Unlock()
	r.kit.Render(w, req, ses, http.StatusOK, ui.Page{Name: "readers/list", Title: words.Text("readers.title"), Back: "/", Alert: alert, Data: p})
}

// ownReader says which reader is the counter's. Call it with r.mu held.
func (r *Pages) ownReader(words *i18n.Localizer) (text string, missing bool) {
	name, serial, known := r.device.AssignedName()
	switch {
	case !known:
		return words.Text("readers.own.none"), false
	case slices.ContainsFunc(r.found, r.device.IsAssigned):
		return words.Text("readers.own", "name", name, "serial", serial), false
	}
	return words.Text("readers.own.missing", "name", name, "serial", serial), true
}

// fillChoice says whether a reader is the counter's, and lets an owner choose it.
func (r *Pages) fillChoice(words *i18n.Localizer, out *readerView, d rdservice.Device) {
	_, _, known := r.device.AssignedName()
	told := d.Info.Serial != "" || d.Info.DC != ""
	switch {
	case !known && !told, r.device.IsAssigned(d):
	case !told:
		out.Use = words.Text("readers.own.unidentified")
	default:
		out.Address, out.Reported = d.Service.Address, d.Info.Serial
		if known {
			out.Use = words.Text("readers.own.other")
		}
	}
}

func describe(w *i18n.Localizer, d rdservice.Device, inUse string, now time.Time) readerView {
	l, unknown := d.Listing(), w.Text("readers.unknown")
	out := readerView{
		Name: cmp.Or(strings.TrimSpace(l.Vendor+" "+l.MI), strings.TrimSpace(l.Info), unknown), InUse: l.Address == inUse || slices.Contains(d.Also, inUse),
		Use: w.Text("readers.use.none"), Certificate: unknown, Level: cmp.Or(string(l.Level), unknown), Serial: cmp.Or(l.Serial, unknown),
	}
	if out.InUse {
		out.Use = w.Text("readers.use.capture")
	}
	out.State, out.Tone = readerStatus(w, d)
	day := w.Date(d.Info.CertificateEnds)
	switch d.Info.Certificate(now) {
	case rdservice.CertificateEnded:
		out.Certificate, out.Ending = w.Text("readers.ended", "day", day), true
	case rdservice.CertificateEnding:
		out.Certificate, out.Ending = w.Text("readers.ending", "day", day), true
	case rdservice.CertificateGood:
		out.Certificate = day
	}
	if out.Ending {
		out.Renew = w.Text("readers.renew")
	}
	return out
}

func readerStatus(w *i18n.Localizer, d rdservice.Device) (text, tone string) {
	if d.Service.CapturePath == "" && d.Service.Status == rdservice.Ready {
		return statusText(w, rdservice.NotReady)
	}
	return statusText(w, d.Service.Status)
}

func statusText(w *i18n.Localizer, s rdservice.Status) (text, tone string) {
	switch s {
	case rdservice.Ready:
		return w.Text("readers.ready"), "ok"
	case rdservice.Used:
		return w.Text("readers.used"), "warn"
	}
	return w.Text("readers.notready"), "bad"
}
