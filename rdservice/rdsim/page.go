package rdsim

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

//go:embed page.html
var pageHTML string

//go:embed style.css
var styleCSS []byte

// shownEntries is how many captures the page lists.
const shownEntries = 10

// preset is an outcome that a person can choose for the next capture.
type preset struct {
	Label   string
	outcome Outcome
}

func presets() []preset {
	return []preset{
		{"No finger in time (700)", Outcome{ErrCode: "700"}},
		{"Capture failed (730)", Outcome{ErrCode: "730"}},
		{"Device not ready (720)", Outcome{ErrCode: "720"}},
		{"Used by another application (710)", Outcome{ErrCode: "710"}},
		{"Must be re-initialised (740)", Outcome{ErrCode: "740"}},
		{"Still starting (-1509)", Outcome{ErrCode: "-1509"}},
		{"Internal error (999)", Outcome{ErrCode: "999"}},
		{"Quality 20: refused", Outcome{QScore: "20", NmPoints: "12"}},
		{"Quality 35: try again", Outcome{QScore: "35", NmPoints: "24"}},
		{"Slow: answers after 5 seconds", Outcome{DelayMs: 5000}},
		{"Never answers", Outcome{Hang: true}},
		{"Connection reset", Outcome{Reset: true}},
		{"Answer cut off", Outcome{Truncate: -1}},
		{"HTTP 405", Outcome{HTTPStatus: 405}},
		{"HTTP 500", Outcome{HTTPStatus: 500}},
	}
}

// pageView is what the page shows.
type pageView struct {
	Device    deviceView
	Model     string
	Glass     fingerView
	Who       string // the customer's name; empty for another resident
	Customers []customerView
	Fingers   []string
	Profiles  []string
	Statuses  []string
	Presets   []preset
	Pending   int
	Journal   []Entry // newest first
	Faults    []fault
}

// customerView is a line of the choice of customers: the number that leaves is
// the place in the list, never the Aadhaar number.
type customerView struct {
	Place   int
	Name    string
	Masked  string
	OnGlass bool
}

func (d *Device) pageView(faults []fault) pageView {
	d.mu.Lock()
	g, pending, model := d.glass, len(d.script), d.profile.model
	d.mu.Unlock()
	v := pageView{
		Device: d.view(), Model: model, Glass: g.view(), Pending: pending,
		Fingers: fingerNames(), Profiles: ProfileNames(),
		Statuses: []string{statusReady, statusNotReady, statusUsed},
		Presets:  presets(), Journal: d.Journal(), Faults: faults,
	}
	for i, c := range customers() {
		here := c.Aadhaar.equal(g.resident)
		if here {
			v.Who = c.Name
		}
		v.Customers = append(v.Customers, customerView{i + 1, c.Name, c.Aadhaar.String(), here})
	}
	slices.Reverse(v.Journal)
	v.Journal = v.Journal[:min(len(v.Journal), shownEntries)]
	return v
}

func (d *Device) servePage(w http.ResponseWriter, _ *http.Request) {
	d.showPage(w, http.StatusOK, nil)
}

func (d *Device) showPage(w http.ResponseWriter, status int, faults []fault) {
	page, err := template.New("page").Parse(pageHTML)
	var b bytes.Buffer
	if err == nil {
		err = page.Execute(&b, d.pageView(faults))
	}
	if err != nil {
		d.log.Error("the page could not be written", "error", err)
		http.Error(w, "The page could not be written.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer the forms' Origin would be null
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(styleCSS)
}

// servePageForm takes the page's three forms: finger, device and next.
func (d *Device) servePageForm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form could not be read.", http.StatusBadRequest)
		return
	}
	var faults []fault
	switch r.PathValue("set") {
	case "finger":
		faults = d.setGlass(glassForm(r.PostForm))
	case "device":
		faults = d.setDevice(pageForm(r.PostForm, "warmup"))
	case "next":
		place, err := strconv.Atoi(r.PostForm.Get("outcome"))
		if err != nil || place < 0 || place >= len(presets()) {
			faults = []fault{{"outcome", "must be chosen from the list"}}
		} else {
			faults = d.enqueue(presets()[place].outcome)
		}
	default:
		http.NotFound(w, r)
		return
	}
	if len(faults) > 0 {
		d.showPage(w, http.StatusBadRequest, faults)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// glassForm puts the chosen customer's number, or the one that was typed, into
// the form.
func glassForm(values url.Values) *form {
	customer := values.Get("customer")
	values.Del("customer")
	place, err := strconv.Atoi(customer)
	known := err == nil && place >= 1 && place <= len(customers())
	if known {
		values.Set("aadhaar", customers()[place-1].Aadhaar.reveal())
	}
	f := pageForm(values, "quality")
	if !known && values.Get("aadhaar") == "" {
		f.fault("aadhaar", "choose a customer, or type another Aadhaar number")
	}
	return f
}

// enqueue adds one outcome to the script.
func (d *Device) enqueue(o Outcome) []fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.script) >= maxScript {
		return []fault{{"outcome", "the script is full"}}
	}
	d.script = append(d.script, o)
	return nil
}
