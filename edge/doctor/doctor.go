package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"galla/rdservice"
	"galla/shared/settings"
)

// Limit is how long an examination may take in all: a scan takes 3 seconds, an
// identity 5, and a central that is away 10.
const Limit = 20 * time.Second

// Waits and bounds of single checks.
const (
	centralWait = 10 * time.Second
	pageWait    = 3 * time.Second
	probeBytes  = 1 << 20 // free space for a day's work, and its fsync
)

// Bounds of the clock. The central's Date has whole seconds and takes a moment
// on its way, so a few seconds are no error.
const (
	clockWarn = 30 * time.Second
	clockBad  = 5 * time.Minute // above this the counter starts nothing
)

// Verdict is the result of one check.
type Verdict string

// The verdicts, from good to bad. Unknown could not be examined.
const (
	OK      Verdict = "ok"
	Unknown Verdict = "unknown"
	Warn    Verdict = "warn"
	Bad     Verdict = "bad"
)

var verdicts = []Verdict{OK, Unknown, Warn, Bad}

// Finding is what one check found.
type Finding struct {
	Subject string  `json:"subject"` // reader, certificate, clock, uplink, counter, disk, queue, printer, enrolment, release
	Verdict Verdict `json:"verdict"`
	Says    string  `json:"says"` // what was found, a sentence
	Do      string  `json:"do"`   // what to do next; empty where there is nothing
}

// Readers is what the doctor needs of *rdservice.Client.
type Readers interface {
	Survey(ctx context.Context) ([]rdservice.Device, []*rdservice.Error, error)
}

// Config is what to examine.
type Config struct {
	Readers Readers
	// Folder is the counter's data folder; it is never named in a finding.
	Folder string
	// QueueFile is the queue's file, and QueueMax the size in bytes at which
	// the queue is full.
	QueueFile string
	QueueMax  int64
	// Uplink is the URL of the central's listener, from the enrolment; empty where
	// the counter is not enrolled, and then Enrolment says why.
	Uplink    string
	Enrolment error
	// Pages is the loopback address of the counter's pages, such as
	// http://127.0.0.1:7200, with or without the scheme.
	Pages string
	// Printers are the device files of printers, as patterns of filepath.Match.
	Printers []string
	// Printer checks the configured receipt printer: whether it prints, and what to
	// do where it does not. Nil: none is configured, and Printers are listed.
	Printer func(ctx context.Context) (prints bool, do string)
	Version string // of this program
	Release Release

	HTTP *http.Client     // http.DefaultTransport without redirects where nil
	Now  func() time.Time // time.Now where nil
}

// Release describes this program's releases, by their versions. Empty: no automatic
// updates.
type Release struct {
	Running string // the one that was started last
	Waiting string // a newer one that was fetched; empty: none
	Blocked string // a newer one that failed and was blocked; empty: none
}

// Doctor examines a counter.
type Doctor struct{ cfg Config }

// New checks the configuration. Readers, Folder and QueueFile are required.
func New(cfg Config) (*Doctor, error) {
	if cfg.Readers == nil || cfg.Folder == "" || cfg.QueueFile == "" {
		return nil, errors.New("the doctor needs readers, the data folder and the queue's file")
	}
	if cfg.HTTP == nil {
		// The central never redirects; a captive portal does.
		cfg.HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Doctor{cfg: cfg}, nil
}

// Report is all findings of an examination.
type Report struct {
	At       time.Time `json:"at"`
	Version  string    `json:"version"`
	Findings []Finding `json:"findings"`
}

// Examine runs all checks in parallel. It always returns a report: a failed check is
// a finding.
func (d *Doctor) Examine(ctx context.Context) Report {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	checks := []func(context.Context) []Finding{
		d.enrolment, d.readers, d.central, d.counter, d.disk, d.queue, d.printer, d.release,
	}
	found := make([][]Finding, len(checks))
	var wg sync.WaitGroup
	for i, check := range checks {
		wg.Go(func() { found[i] = check(ctx) })
	}
	wg.Wait()
	r := Report{At: d.cfg.Now(), Version: d.cfg.Version}
	for _, f := range found {
		r.Findings = append(r.Findings, f...)
	}
	return r
}

// Worst is the worst verdict of a report.
func (r Report) Worst() Verdict {
	worst := 0
	for _, f := range r.Findings {
		worst = max(worst, slices.Index(verdicts, f.Verdict))
	}
	return verdicts[worst]
}

// WriteTo writes the report as text, one finding a line and below it what to do.
func (r Report) WriteTo(w io.Writer) (int64, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "Galla %s, %s\n", r.Version, r.At.Format(time.RFC3339))
	for _, f := range r.Findings {
		fmt.Fprintf(&text, "%-8s %-12s %s\n", f.Verdict, f.Subject, f.Says)
		if f.Do != "" {
			fmt.Fprintf(&text, "%-8s %-12s → %s\n", "", "", f.Do)
		}
	}
	n, err := io.WriteString(w, text.String())
	return int64(n), err
}

// enrolment checks whether the counter is enrolled. The error may name a folder, so
// it is not quoted.
func (d *Doctor) enrolment(context.Context) []Finding {
	switch {
	case d.cfg.Enrolment == nil && d.cfg.Uplink != "":
		return []Finding{{"enrolment", OK, "This counter is enrolled.", ""}}
	case d.cfg.Enrolment == nil:
		return []Finding{{"enrolment", Bad, "This counter is not enrolled.", "Ask support for an enrolment code and run 'galla-edge enrol'."}}
	}
	return []Finding{{"enrolment", Bad, "The counter's settings or keys can't be read.", "Check that this user may read the data folder and that the key files are those of this counter; otherwise call support."}}
}

// central sends a request to the central's listener: any answer proves the
// connection, and its Date is the central's clock.
func (d *Doctor) central(ctx context.Context) []Finding {
	noClock := Finding{"clock", Unknown, "The clock could not be compared with the server's.", "Check that date, time and time zone of this computer are right."}
	if d.cfg.Uplink == "" {
		return []Finding{{"uplink", Unknown, "The server's address is not known before enrolment.", ""}, noClock}
	}
	u, err := url.Parse(d.cfg.Uplink)
	if err != nil || u.Host == "" {
		return []Finding{{"uplink", Bad, "The server's address in the settings is no address.", "Enrol the counter again."}, noClock}
	}
	scheme := map[string]string{"ws": "http", "wss": "https"}[u.Scheme]
	if scheme == "" {
		scheme = "https"
	}
	ctx, cancel := context.WithTimeout(ctx, centralWait)
	defer cancel()
	began := d.cfg.Now()
	resp, err := d.get(ctx, (&url.URL{Scheme: scheme, Host: u.Host, Path: "/"}).String())
	if err != nil {
		return []Finding{{"uplink", Bad, "The server does not answer: " + connectionFault(ctx, err) + ".", "Check the internet by opening any other page. If that works, wait some minutes, then call support."}, noClock}
	}
	took := d.cfg.Now().Sub(began)
	uplink := Finding{"uplink", OK, fmt.Sprintf("The server answers within %d ms.", took.Milliseconds()), ""}
	if took > 3*time.Second {
		uplink = Finding{"uplink", Warn, fmt.Sprintf("The server answers slowly: %d ms.", took.Milliseconds()), "Move nearer to the router, or use another network."}
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		uplink = Finding{"uplink", Bad, "Something else answers in the server's place (a redirect).", "The network may want a login first: open any page in the browser, log in, and try again."}
		return []Finding{uplink, noClock}
	}
	theirs, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return []Finding{uplink, noClock}
	}
	return []Finding{uplink, clock(began.Add(took / 2).Sub(theirs))}
}

// clock judges how far this computer's clock is ahead of the central's.
func clock(ahead time.Duration) Finding {
	way := "ahead of"
	off := ahead
	if off < 0 {
		way, off = "behind", -off
	}
	says := fmt.Sprintf("The clock is %s %s the server's.", off.Round(time.Second), way)
	const set = "Set date, time and time zone of this computer, best by itself from the internet."
	switch {
	case off >= clockBad:
		return Finding{"clock", Bad, says + " Banks refuse such fingerprints.", set}
	case off >= clockWarn:
		return Finding{"clock", Warn, says, set}
	}
	return Finding{"clock", OK, "The clock agrees with the server's.", ""}
}

func (d *Doctor) counter(ctx context.Context) []Finding {
	if d.cfg.Pages == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pageWait)
	defer cancel()
	if _, err := d.get(ctx, settings.Address(d.cfg.Pages).URL()); err != nil {
		return []Finding{{"counter", Warn, "The counter's pages are not served: " + connectionFault(ctx, err) + ".", "Start the counter (galla-edge run)."}}
	}
	return []Finding{{"counter", OK, "The counter's pages are served.", ""}}
}

// get sends a GET and drops the body.
func (d *Doctor) get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := d.cfg.HTTP.Do(req)
	if err != nil {
		return nil, err
	}
	return resp, resp.Body.Close()
}
