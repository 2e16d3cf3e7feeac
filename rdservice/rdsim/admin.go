package rdsim

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strings"

	"galla/rdservice/rdcrypto"
)

// fingerNames lists what may lie on the glass.
func fingerNames() []string { return append(rdcrypto.Fingers(), NoFinger) }

// serveAdmin answers everything that is not the RD protocol.
func (d *Device) serveAdmin(w http.ResponseWriter, r *http.Request) {
	if why := isForeignOrigin(r); why != "" && !d.isTrustedPage(r) {
		writeJSON(w, http.StatusForbidden, map[string]string{"error": why})
		return
	}
	d.admin.ServeHTTP(w, r)
}

// adminRoutes are the page and the interface for tests.
func (d *Device) adminRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, handler := range map[string]http.HandlerFunc{
		"GET /{$}":         d.servePage,
		"GET /style.css":   serveStyle,
		"POST /page/{set}": d.servePageForm,
		"GET /sim/finger":  d.getFinger,
		"POST /sim/finger": d.postFinger,
		"GET /sim/device":  d.getDevice,
		"POST /sim/device": d.postDevice,
		"GET /sim/script":  d.getScript,
		"POST /sim/script": d.postScript,
		"GET /sim/journal": d.getJournal,
	} {
		mux.HandleFunc(pattern, handler)
	}
	return mux
}

// isTrustedPage reports whether a request is one that a page of Config.Origins may make: a
// capture, or the finger on the glass. A browser asks first, with OPTIONS.
func (d *Device) isTrustedPage(r *http.Request) bool {
	method := r.Method
	if method == http.MethodOptions {
		method = r.Header.Get("Access-Control-Request-Method")
	}
	d.mu.Lock()
	capturePath := d.profile.capturePath
	d.mu.Unlock()
	capture := method == "CAPTURE" && r.URL.Path == capturePath
	return (capture || method == http.MethodPost && r.URL.Path == "/sim/finger") && slices.Contains(d.cfg.Origins, r.Header.Get("Origin"))
}

// allowPage lets the page read the answer.
func allowPage(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
	h.Add("Vary", "Origin")
	if r.Method == http.MethodOptions {
		h.Set("Access-Control-Allow-Methods", "CAPTURE, POST")
		h.Set("Access-Control-Allow-Headers", "Content-Type")
	}
}

// isForeignOrigin says why a request is not from this computer's own pages and
// programs; empty where it is. A web page elsewhere can make a browser send
// requests here (Origin tells), and can give its own name this address (Host
// tells).
func isForeignOrigin(r *http.Request) string {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !isLoopback(strings.Trim(host, "[]")) {
		return "this address is served under its loopback name only"
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != schemeOf(r)+"://"+r.Host {
		return "requests from other origins are refused"
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return ""
	}
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" {
		return "" // a link to the page is harmless
	}
	return "requests from other sites are refused"
}

// writeJSON writes JSON, with PidOptions readable as they are: nothing here is HTML.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		status, body = http.StatusInternalServerError, *bytes.NewBufferString(`{"error":"the answer could not be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // a client that has gone needs no answer
}

// writeFault tells every wrong field.
func writeFault(w http.ResponseWriter, faults []fault) {
	writeJSON(w, http.StatusBadRequest, map[string][]fault{"errors": faults})
}

// fingerView is the glass as it may be shown.
type fingerView struct {
	Aadhaar string `json:"aadhaar"` // masked
	Finger  string `json:"finger"`
	Quality int    `json:"quality"`
}

func (g sensor) view() fingerView { return fingerView{g.resident.String(), g.finger, g.quality} }

// deviceView is the device's state.
type deviceView struct {
	Profile   string `json:"profile"`
	Status    string `json:"status"`
	Warmup    int    `json:"warmup"`
	Capturing bool   `json:"capturing"`
}

func (d *Device) getFinger(w http.ResponseWriter, _ *http.Request) {
	d.mu.Lock()
	view := d.glass.view()
	d.mu.Unlock()
	writeJSON(w, http.StatusOK, view)
}

func (d *Device) postFinger(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r.Body)
	if err != nil {
		writeFault(w, []fault{{"body", err.Error()}})
		return
	}
	if faults := d.setGlass(jsonForm(body, "")); len(faults) > 0 {
		writeFault(w, faults)
		return
	}
	d.getFinger(w, r)
}

// setGlass changes what lies on the glass; nothing changes if a field is wrong.
// Fields that are absent stay as they are.
func (d *Device) setGlass(f *form) []fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	g, faults := readGlass(f, d.glass)
	if len(faults) == 0 {
		d.glass = g
		d.log.Info("finger placed", "aadhaar", g.resident, "finger", g.finger, "quality", g.quality)
	}
	return faults
}

func (d *Device) view() deviceView {
	d.mu.Lock()
	defer d.mu.Unlock()
	return deviceView{d.profile.name, d.status, d.warmup, d.capturing}
}

func (d *Device) getDevice(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, d.view())
}

func (d *Device) postDevice(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r.Body)
	if err != nil {
		writeFault(w, []fault{{"body", err.Error()}})
		return
	}
	if faults := d.setDevice(jsonForm(body, "")); len(faults) > 0 {
		writeFault(w, faults)
		return
	}
	d.getDevice(w, r)
}

// setDevice changes shape, status and warm-up; nothing changes if a field is
// wrong. Fields that are absent stay as they are.
func (d *Device) setDevice(f *form) []fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	name, status, warmup := d.profile.name, d.status, d.warmup
	f.choice("profile", ProfileNames(), &name)
	f.choice("status", []string{statusReady, statusNotReady, statusUsed}, &status)
	f.number("warmup", 0, maxWarmup, &warmup)
	faults := f.end()
	shape, ok := profileNamed(name)
	if len(faults) == 0 && ok {
		d.profile, d.status, d.warmup = shape, status, warmup
		d.log.Info("device changed", "profile", name, "status", status, "warmup", warmup)
	}
	return faults
}

func (d *Device) getScript(w http.ResponseWriter, _ *http.Request) {
	d.mu.Lock()
	script := append([]Outcome{}, d.script...)
	d.mu.Unlock()
	writeJSON(w, http.StatusOK, script)
}

func (d *Device) postScript(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r.Body)
	if err != nil {
		writeFault(w, []fault{{"body", err.Error()}})
		return
	}
	script, faults := readScript(body)
	if len(faults) > 0 {
		writeFault(w, faults)
		return
	}
	d.mu.Lock()
	d.script = script // the new list takes the place of what was left of the old
	d.mu.Unlock()
	d.log.Info("script set", "outcomes", len(script))
	d.getScript(w, r)
}

func (d *Device) getJournal(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, d.Journal())
}
