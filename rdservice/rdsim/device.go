package rdsim

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"galla/rdservice/rdcrypto"
	"galla/shared/ist"
)

// certificateLife is how long an L0 device's certificate lives.
const certificateLife = 30 * 24 * time.Hour

// deviceKeyBits is the size of a device's key.
const deviceKeyBits = 2048

// Statuses of a device.
const (
	statusReady    = "READY"
	statusNotReady = "NOTREADY"
	statusUsed     = "USED"
)

// Config says how the device starts. The zero value is a plain device at the
// first standard port.
type Config struct {
	// Address is where the device listens: http://127.0.0.1:11100 where empty.
	// At an https address it shows a certificate that it signed itself, as RD
	// services do. Only loopback addresses are served.
	Address string
	// Also are further addresses of the same device: makers' services answer
	// on http and on https at once.
	Also    []string
	Profile string // one of ProfileNames; plain where empty
	Serial  string // SIM0000001 where empty
	Code    string // device code (dc), a UUID of DrawCode; a new one where empty
	// CaptureTime is how long the reader takes to read a finger.
	CaptureTime time.Duration
	// Warmup is how many captures are answered with 'still starting' (-1509)
	// after the start.
	Warmup int
	// ClockOffset makes the device's clock wrong, as some are.
	ClockOffset time.Duration
	// Origins are those of web pages that may capture and place a finger, as the
	// sandbox's /docs/try does. Other pages may not.
	Origins []string
}

// Device is the simulated device. It may be used by several goroutines.
type Device struct {
	authority *x509.Certificate
	random    io.Reader
	log       *slog.Logger
	cfg       Config
	endpoints []endpoint  // Address, and Also
	tls       *tls.Config // nil: no endpoint is https

	admin http.Handler

	key *rsa.PrivateKey
	mc  string // base64 of the device's certificate
	dc  string // device code, a UUID

	mu        sync.Mutex
	profile   profile
	status    string // what /sim/device says; while capturing, USED is shown
	warmup    int    // captures still to be answered with -1509
	glass     sensor
	script    []Outcome
	capturing bool
	journal   []Entry
}

// DrawCode draws a device code: a device keeps its own for life.
func DrawCode(random io.Reader) (string, error) {
	var code [16]byte
	if _, err := io.ReadFull(random, code[:]); err != nil {
		return "", fmt.Errorf("drawing a device code: %w", err)
	}
	code[6], code[8] = code[6]&0x0f|0x40, code[8]&0x3f|0x80 // a random UUID
	return fmt.Sprintf("%x-%x-%x-%x-%x", code[:4], code[4:6], code[6:8], code[8:10], code[10:]), nil
}

// New makes a device with an identity of its own, which lives as long as the
// Device. authority is the certificate under which captures are sealed. random
// must be cryptographic and safe for use by several goroutines, as
// crypto/rand.Reader is.
func New(authority *x509.Certificate, random io.Reader, log *slog.Logger, cfg Config) (*Device, error) {
	if cfg.Address == "" {
		cfg.Address = "http://127.0.0.1:11100"
	}
	if cfg.Profile == "" {
		cfg.Profile = profilePlain
	}
	if cfg.Serial == "" {
		cfg.Serial = "SIM0000001"
	}
	if cfg.Warmup < 0 || cfg.Warmup > maxWarmup {
		return nil, fmt.Errorf("warm-up of %d captures: it must be 0 to %d", cfg.Warmup, maxWarmup)
	}
	endpoints, err := parseEndpoints(append([]string{cfg.Address}, cfg.Also...))
	if err != nil {
		return nil, err
	}
	shape, ok := profileNamed(cfg.Profile)
	if !ok {
		return nil, fmt.Errorf("profile %q is unknown; it must be one of %s", cfg.Profile, strings.Join(ProfileNames(), ", "))
	}
	key, err := rsa.GenerateKey(random, deviceKeyBits)
	if err != nil {
		return nil, fmt.Errorf("making the device's key: %w", err)
	}
	cert, err := rdcrypto.DeviceCertificate(key, shape.dpID, certificateLife, random)
	if err != nil {
		return nil, err
	}
	if cfg.Code == "" {
		if cfg.Code, err = DrawCode(random); err != nil {
			return nil, err
		}
	}
	d := &Device{
		authority: authority, random: random, log: log, cfg: cfg, endpoints: endpoints,
		key: key, mc: base64.StdEncoding.EncodeToString(cert.Raw),
		dc:      cfg.Code,
		profile: shape, status: statusReady, warmup: cfg.Warmup,
		glass: sensor{newResident(startAadhaar), startFinger, startQuality},
	}
	if slices.ContainsFunc(endpoints, func(at endpoint) bool { return at.secure }) {
		if d.tls, err = selfSigned(random); err != nil {
			return nil, err
		}
	}
	d.admin = d.adminRoutes()
	return d, nil
}

// ServeHTTP answers the RD protocol, the interface for tests and the page.
func (d *Device) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.isTrustedPage(r) {
		allowPage(w, r)
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	switch r.Method {
	case "RDSERVICE":
		d.serveDiscover(w, r)
	case "DEVICEINFO":
		d.serveInfo(w, r)
	case "CAPTURE":
		d.serveCapture(w, r)
	default:
		d.serveAdmin(w, r)
	}
}

func (d *Device) serveDiscover(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	p, status := d.shown()
	host := r.Host
	if addr, ok := r.Context().Value(http.LocalAddrContextKey).(interface{ String() string }); ok && addr != nil {
		host = addr.String()
	}
	scheme := schemeOf(r)
	interfaces := []tag{
		{name: "Interface", attrs: [][2]string{{"id", "DEVICEINFO"}, {"path", p.announced(p.infoPath, scheme, host)}}},
		{name: "Interface", attrs: [][2]string{{"id", "CAPTURE"}, {"path", p.announced(p.capturePath, scheme, host)}}},
	}
	if p.captureFirst {
		slices.Reverse(interfaces)
	}
	write(w, p, http.StatusOK, p.document(tag{
		name:     "RDService",
		attrs:    [][2]string{{"status", status}, {"info", p.info}},
		children: interfaces,
	}))
}

func (d *Device) serveInfo(w http.ResponseWriter, r *http.Request) {
	p, status := d.shown()
	if r.URL.Path != p.infoPath {
		http.NotFound(w, r)
		return
	}
	write(w, p, http.StatusOK, p.document(d.deviceInfo(p, status != statusNotReady)))
}

// shown is the profile and the status as a client sees it now.
func (d *Device) shown() (profile, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.capturing {
		return d.profile, statusUsed
	}
	return d.profile, d.status
}

// deviceInfo is the DeviceInfo element; a device that is not there has no
// identity.
func (d *Device) deviceInfo(p profile, present bool) tag {
	values := map[string]string{}
	if present {
		values = map[string]string{
			"dpId": p.dpID, "rdsId": p.rdsID, "rdsVer": p.rdsVer, "dc": d.dc, "mi": p.model, "mc": d.mc,
		}
	}
	t := tag{name: "DeviceInfo"}
	for _, name := range p.deviceAttrs {
		t.attrs = append(t.attrs, [2]string{name, values[name]})
	}
	if !present {
		return t
	}
	param := func(name, value string) tag {
		return tag{name: "Param", attrs: [][2]string{{"name", name}, {"value", value}}}
	}
	t.children = []tag{{name: "additional_info", children: []tag{
		param("srno", d.cfg.Serial),
		param("sysid", "SIM0SYSID0000000001"),
		param("ts", d.now().Format(time.RFC3339)),
	}}}
	return t
}

// now is the device's clock.
func (d *Device) now() time.Time { return time.Now().Add(d.cfg.ClockOffset).In(ist.Zone()) }

// write sends a document with the profile's header, or lack of one.
func write(w http.ResponseWriter, p profile, status int, body []byte) {
	w.Header()["Content-Type"] = nil // keep net/http from guessing one
	if p.contentType != "" {
		w.Header().Set("Content-Type", p.contentType)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone needs no answer
}
