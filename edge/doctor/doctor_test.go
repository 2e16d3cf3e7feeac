package doctor

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"galla/rdservice"
	"galla/shared/ist"
)

type fakeReaders struct {
	devices  []rdservice.Device
	failures []*rdservice.Error
	err      error
}

func (f fakeReaders) Survey(context.Context) ([]rdservice.Device, []*rdservice.Error, error) {
	return f.devices, f.failures, f.err
}

var now = time.Date(2026, 11, 21, 10, 0, 0, 0, ist.Zone())

// well is a counter in good order; spoil makes it another one.
func well(t *testing.T, spoil func(*Config)) Report {
	t.Helper()
	date := now
	central := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", date.UTC().Format(http.TimeFormat))
		if r.Header.Get("X") == "portal" {
			http.Redirect(w, r, "http://login.example/", http.StatusFound)
		}
	}))
	t.Cleanup(central.Close)
	folder := t.TempDir()
	queue := filepath.Join(folder, "queue.db")
	if err := os.WriteFile(queue, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	printer := filepath.Join(folder, "lp0")
	if err := os.WriteFile(printer, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Readers: fakeReaders{devices: []rdservice.Device{{
			Service: rdservice.Service{Address: "http://127.0.0.1:11100", Status: rdservice.Ready, CapturePath: "/rd/capture"},
			Info:    rdservice.DeviceInfo{DPID: "MANTRA.MSIPL", Serial: "SERIAL-4711", CertificateEnds: now.AddDate(0, 0, 30)},
		}}},
		Folder: folder, QueueFile: queue, QueueMax: 1 << 20,
		Uplink: "ws" + strings.TrimPrefix(central.URL, "http") + "/uplink", Pages: strings.TrimPrefix(central.URL, "http://"),
		Printers: []string{filepath.Join(folder, "lp*")}, Version: "v1",
		Now: func() time.Time { return now },
	}
	if spoil != nil {
		spoil(&cfg)
	}
	d, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := d.Examine(t.Context())
	var text strings.Builder
	if _, err := r.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"SERIAL-4711", folder, "token=geheim"} {
		if strings.Contains(text.String(), secret) {
			t.Errorf("the report tells %q:\n%s", secret, text.String())
		}
	}
	if strings.Contains(text.String(), "central") {
		t.Errorf("the report does not say server, as the counter does:\n%s", text.String())
	}
	for _, f := range r.Findings {
		if f.Says == "" || (f.Verdict == Bad || f.Verdict == Warn) && f.Do == "" {
			t.Errorf("%+v does not say what to do", f)
		}
	}
	return r
}

func TestWell(t *testing.T) {
	r := well(t, nil)
	if r.Worst() != OK || len(r.Findings) != 9 {
		t.Errorf("%+v", r)
	}
}

func TestUnwell(t *testing.T) {
	reader := func(status rdservice.Status, path string, ends time.Time) fakeReaders {
		return fakeReaders{devices: []rdservice.Device{{
			Service: rdservice.Service{Address: "http://127.0.0.1:11100", Status: status, CapturePath: path},
			Info:    rdservice.DeviceInfo{Serial: "SERIAL-4711", CertificateEnds: ends},
		}}}
	}
	failing := func(kind error) fakeReaders {
		return fakeReaders{failures: []*rdservice.Error{
			{Op: "discover", Address: "http://127.0.0.1:11100", Kind: rdservice.ErrRefused},
			{Op: "discover", Address: "http://127.0.0.1:11103", Kind: kind},
		}}
	}
	later := now.AddDate(1, 0, 0)
	tests := map[string]struct {
		spoil   func(*Config)
		subject string
		want    Verdict
		says    string
	}{
		"no reader":           {func(c *Config) { c.Readers = fakeReaders{} }, "reader", Bad, "No fingerprint"},
		"scan failed":         {func(c *Config) { c.Readers = fakeReaders{err: rdservice.ErrTimeout} }, "reader", Unknown, "failed"},
		"reader in use":       {func(c *Config) { c.Readers = reader(rdservice.Used, "/c", later) }, "reader", Warn, "in use"},
		"reader not ready":    {func(c *Config) { c.Readers = reader(rdservice.NotReady, "/c", later) }, "reader", Bad, "not ready"},
		"reader strange":      {func(c *Config) { c.Readers = reader("SLEEPY", "/c", later) }, "reader", Warn, "status"},
		"no capture":          {func(c *Config) { c.Readers = reader(rdservice.Ready, "", later) }, "reader", Bad, "offers no capture"},
		"certificate ended":   {func(c *Config) { c.Readers = reader(rdservice.Ready, "/c", now) }, "certificate", Bad, "ended on 21 Nov 2026"},
		"certificate ending":  {func(c *Config) { c.Readers = reader(rdservice.Ready, "/c", now.AddDate(0, 0, 7)) }, "certificate", Warn, "ends on 28 Nov 2026"},
		"certificate unknown": {func(c *Config) { c.Readers = reader(rdservice.Ready, "/c", time.Time{}) }, "certificate", Unknown, "could not be read"},
		"service hangs":       {func(c *Config) { c.Readers = failing(rdservice.ErrTimeout) }, "reader", Warn, "at http://127.0.0.1:11103 takes calls and does not answer"},
		"service resets":      {func(c *Config) { c.Readers = failing(rdservice.ErrBroken) }, "reader", Warn, "11103 takes calls"},
		"points elsewhere":    {func(c *Config) { c.Readers = failing(rdservice.ErrForeignHost) }, "reader", Warn, "11103 points to another computer"},
		"another program":     {func(c *Config) { c.Readers = failing(rdservice.ErrStatus) }, "reader", Warn, "11103 is no reader's service"},
		"never enrolled": {func(c *Config) {
			c.Uplink, c.Folder, c.QueueFile = "", c.Folder+"/new/edge", c.Folder+"/new/edge/queue.db"
		},
			"disk", OK, "takes new entries"},
		"no queue before":   {func(c *Config) { c.Uplink, c.QueueFile = "", c.Folder+"/new.db" }, "queue", Unknown, "before enrolment"},
		"not enrolled":      {func(c *Config) { c.Uplink = "" }, "enrolment", Bad, "not enrolled"},
		"settings broken":   {func(c *Config) { c.Enrolment = errors.New(c.Folder) }, "enrolment", Bad, "can't be read"},
		"central away":      {func(c *Config) { c.Uplink = "ws://127.0.0.1:1/?token=geheim" }, "uplink", Bad, "nothing listens there"},
		"clock not known":   {func(c *Config) { c.Uplink = "ws://127.0.0.1:1/" }, "clock", Unknown, "could not be compared"},
		"address broken":    {func(c *Config) { c.Uplink = "://" }, "uplink", Bad, "no address"},
		"clock ahead":       {func(c *Config) { c.Now = func() time.Time { return now.Add(time.Minute) } }, "clock", Warn, "1m0s ahead"},
		"clock behind":      {func(c *Config) { c.Now = func() time.Time { return now.Add(-10 * time.Minute) } }, "clock", Bad, "10m0s behind"},
		"captive portal":    {func(c *Config) { c.HTTP = portal() }, "uplink", Bad, "redirect"},
		"pages away":        {func(c *Config) { c.Pages = "127.0.0.1:1" }, "counter", Warn, "not served"},
		"folder away":       {func(c *Config) { c.Folder += "/none" }, "disk", Bad, "does not exist"},
		"no queue":          {func(c *Config) { c.QueueFile += "x" }, "queue", Warn, "no queue yet"},
		"queue is a folder": {func(c *Config) { c.QueueFile = c.Folder }, "queue", Bad, "no proper file"},
		"queue nearly full": {func(c *Config) { c.QueueMax = 1 << 16 }, "queue", Warn, "nearly full"},
		"printer without paper": {func(c *Config) {
			c.Printer = func(context.Context) (bool, string) { return false, "Put in a roll." }
		}, "printer", Warn, "does not print"},
		"printer well": {func(c *Config) {
			c.Printers = nil
			c.Printer = func(context.Context) (bool, string) { return true, "" }
		}, "printer", OK, "prints"},
		"no printer": {func(c *Config) { c.Printers = nil }, "printer", Unknown, "No receipt printer"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := well(t, test.spoil)
			for _, f := range r.Findings {
				if f.Subject == test.subject && f.Verdict == test.want && strings.Contains(f.Says, test.says) {
					return
				}
			}
			t.Errorf("no %s %s with %q in %+v", test.want, test.subject, test.says, r.Findings)
		})
	}
}

// portal has every request meet a captive portal.
func portal() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("X", "portal")
			return http.DefaultTransport.RoundTrip(r)
		}),
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A program that is no reader's service is reported only where a reader is
// missing, and never one at which nothing listens.
func TestOtherPrograms(t *testing.T) {
	r := well(t, func(c *Config) {
		readers, _ := c.Readers.(fakeReaders)
		for _, kind := range []error{rdservice.ErrRefused, rdservice.ErrStatus, rdservice.ErrReply} {
			readers.failures = append(readers.failures, &rdservice.Error{Address: "http://127.0.0.1:8005", Kind: kind})
		}
		c.Readers = readers
	})
	if r.Worst() != OK || len(r.Findings) != 9 {
		t.Errorf("%+v", r)
	}
}

// TestHandbook checks that the handbook shows a report of the doctor, word for word, but
// for the time that the central took.
func TestHandbook(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "deploy", "docs", "counter.md"))
	if err != nil {
		t.Fatal(err)
	}
	r := well(t, func(c *Config) {
		readers, _ := c.Readers.(fakeReaders)
		readers.devices[0].Info.CertificateEnds = now.AddDate(0, 0, 6)
		c.Now = func() time.Time { return now.Add(-10 * time.Minute) }
		c.Printers = nil
		if err := os.WriteFile(c.QueueFile, make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		c.QueueMax = 1 << 30
	})
	var text strings.Builder
	if _, err := r.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	took := regexp.MustCompile(`within \d+ ms`)
	want := took.ReplaceAllString(strings.TrimSpace(text.String()), "within 41 ms")
	if !strings.Contains(string(page), want+"\n") {
		t.Errorf("deploy/docs/counter.md does not show the doctor's report:\n%s", want)
	}
}

// The doctor says which version runs, that an update waits, and that one failed;
// nothing where the program is not updated by itself.
func TestRelease(t *testing.T) {
	for name, c := range map[string]struct {
		release Release
		verdict Verdict
		says    string
	}{
		"runs":    {Release{Running: "1.0.0"}, OK, "Version 1.0.0 runs, and no update waits."},
		"waits":   {Release{Running: "1.0.0", Waiting: "1.1.0"}, OK, "An update to 1.1.0 waits until the counter is idle."},
		"blocked": {Release{Running: "1.0.0", Blocked: "1.1.0"}, Warn, "The newer 1.1.0 did not work here and was blocked."},
	} {
		found := (&Doctor{cfg: Config{Release: c.release}}).release(t.Context())
		if len(found) != 1 || found[0].Verdict != c.verdict || !strings.Contains(found[0].Says, c.says) {
			t.Errorf("%s: %+v", name, found)
		}
	}
	if found := (&Doctor{}).release(t.Context()); found != nil {
		t.Errorf("%+v", found)
	}
}
