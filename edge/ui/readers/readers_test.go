package readers

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/ui/uitest"
	"galla/rdservice"
	"galla/shared/secret"
)

// fakeDevice is a device whose answers the test sets.
type fakeDevice struct {
	mu        sync.Mutex
	found     []rdservice.Device
	busy      bool
	err       error
	refreshes int
	dull      bool // it reports no quality

	status  string // of the reader in use; READY where empty
	own     string // serial number of the counter's reader; empty: none
	changes int
	hold    chan struct{} // a refresh waits for it
}

// State implements Device.
func (g *fakeDevice) State() edge.ReaderState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return edge.ReaderState{Status: cmp.Or(g.status, "READY"), Name: "Mantra MFS110"}
}

// ChangeCount implements Device.
func (g *fakeDevice) ChangeCount() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changes
}

func (g *fakeDevice) set(alter func(*fakeDevice)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	alter(g)
}

func (g *fakeDevice) List(context.Context) ([]rdservice.Device, error) {
	g.mu.Lock()
	hold := g.hold
	g.mu.Unlock()
	if hold != nil {
		<-hold
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refreshes++
	if g.busy {
		return nil, rdservice.ErrBusy
	}
	return slices.Clone(g.found), nil // a test changes its own while the page shows these
}

// AssignedName implements Device.
func (g *fakeDevice) AssignedName() (name, serial string, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return "Mantra (MFS110)", g.own, g.own != ""
}

// IsAssigned implements Device. The caller may hold the page's own lock.
func (g *fakeDevice) IsAssigned(r rdservice.Device) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.own != "" && r.Info.Serial == g.own
}

// AssignFound implements Device.
func (g *fakeDevice) AssignFound(r rdservice.Device) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Info.Serial == "" {
		return rdservice.ErrNoInterface
	}
	g.own = r.Info.Serial
	return nil
}

func (g *fakeDevice) AddressInUse() string { return "http://127.0.0.1:11101" }

func (g *fakeDevice) Capture(context.Context) (edge.Capture, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return edge.Capture{}, g.err
	}
	got := edge.Capture{PidData: secret.NewPidData("<PidData>sealed</PidData>"), Quality: 71}
	if g.dull {
		got.Quality = 0
	}
	return got, nil
}

// failing makes the next capture fail with the reader not ready.
func failing(g *fakeDevice) {
	g.err = &edge.CaptureError{Code: "720", Message: "Reader not ready."}
}

func twoReaders() []rdservice.Device {
	return []rdservice.Device{
		{
			Service: rdservice.Service{Address: "http://127.0.0.1:11101", Status: rdservice.Ready, CapturePath: "/c"},
			Info:    rdservice.DeviceInfo{DPID: "MANTRA.MSIPL", MI: "MFS110", Serial: "4711", Level: rdservice.L1, CertificateEnds: uitest.Now().AddDate(0, 0, 3)},
		},
		{Service: rdservice.Service{Address: "http://127.0.0.1:11100", Status: rdservice.NotReady, Info: "Morpho_RD_Service"}},
	}
}

func serve(t *testing.T, g *fakeDevice, language string) *uitest.Client {
	t.Helper()
	pages, err := New(g, func() time.Time { return uitest.Now() })
	if err != nil {
		t.Fatal(err)
	}
	v := uitest.Serve(t, uitest.NewCounter(), pages).NewClient(t)
	running(t, pages)
	v.GetRedirect("/enter?operator=agent&to=/readers&language=" + language)
	return v
}

// running runs the section during the test.
func running(t *testing.T, pages *Pages) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- pages.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "readers", Files: files})
}

func TestList(t *testing.T) {
	g := &fakeDevice{found: twoReaders()}
	v := serve(t, g, "en")
	page := v.Get("/readers", http.StatusOK)
	uitest.Contains(t, page, "Mantra", "MFS110", "4711", "L1", "24 Nov 2026: expires soon", "<dd>Customers</dd>", "Morpho", "Not ready", "Spare", "certificate expires soon")
	v.Get("/readers", http.StatusOK)
	if g.refreshes != 1 {
		t.Errorf("%d looks for two pages", g.refreshes)
	}
	g.set(unplugged)
	uitest.NotContains(t, v.Get("/readers", http.StatusOK), "<span>Ready</span>")
	g.set(func(g *fakeDevice) { g.found = nil })
	v.Post("/readers/look", http.StatusSeeOther)
	uitest.Contains(t, v.Get("/readers", http.StatusOK), "No reader found")
	g.set(func(g *fakeDevice) { g.busy = true })
	uitest.Contains(t, v.Post("/readers/look", http.StatusOK), "A fingerprint is being captured")
}

func TestTry(t *testing.T) {
	g := &fakeDevice{found: twoReaders()}
	v := serve(t, g, "en")
	v.Get("/readers", http.StatusOK)
	v.Post("/readers/test", http.StatusSeeOther)
	page := v.Get("/readers", http.StatusOK)
	uitest.Contains(t, page, "quality 71 of 100")
	uitest.NotContains(t, page, "sealed")
	g.set(func(g *fakeDevice) { g.dull = true })
	v.Post("/readers/test", http.StatusSeeOther)
	page = v.Get("/readers", http.StatusOK)
	uitest.Contains(t, page, "Test passed.")
	uitest.NotContains(t, page, "quality")
	g.set(failing)
	v.Post("/readers/test", http.StatusSeeOther)
	uitest.Contains(t, v.Get("/readers", http.StatusOK), "Reader not ready.", "/help?code=720")
}

func TestTryHindi(t *testing.T) {
	g := &fakeDevice{found: twoReaders(), err: &edge.CaptureError{Code: "720", Message: "Reader not ready."}}
	v := serve(t, g, "hi")
	v.Get("/readers", http.StatusOK)
	v.Post("/readers/test", http.StatusSeeOther)
	page := v.Get("/readers", http.StatusOK)
	uitest.Contains(t, page, "जाँच विफल")
	uitest.NotContains(t, page, "Reader not ready.")
}

// A reader with two addresses is in use at either.
func TestTwoAddresses(t *testing.T) {
	book, err := i18n.Load(i18n.Catalogue{Owner: "readers", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	d := twoReaders()[0]
	d.Service.Address, d.Also = "http://127.0.0.1:11100", []string{"https://127.0.0.1:11200"}
	for at, want := range map[string]bool{"http://127.0.0.1:11100": true, "https://127.0.0.1:11200": true, "http://127.0.0.1:11101": false, "": false} {
		if got := describe(book.Localizer("en"), d, at, uitest.Now()); got.InUse != want {
			t.Errorf("%q: %+v", at, got)
		}
	}
}

// unplugged: the reader in use no longer captures, and the device noticed.
func unplugged(g *fakeDevice) {
	g.found[0].Service.Status = rdservice.NotReady
	g.status, g.changes = "NOTREADY", g.changes+1
}

// After a change since the last refresh, nothing outdated is shown; the reader in use is
// shown as in the status bar.
func TestStaleReaders(t *testing.T) {
	g := &fakeDevice{found: twoReaders()}
	v := serve(t, g, "en")
	uitest.Contains(t, v.Get("/readers", http.StatusOK), "<span>Ready</span>", "Checked 10:14")
	hold := make(chan struct{})
	g.set(func(g *fakeDevice) { g.hold = hold; unplugged(g) })
	page := v.Get("/readers", http.StatusOK)
	uitest.Contains(t, page, "<span>Not ready</span>", "<span>Checking again</span>", "Something changed since 10:14")
	uitest.NotContains(t, page, "<span>Ready</span>")
	close(hold)
	g.set(func(g *fakeDevice) { g.status = "USED" })
	uitest.Contains(t, v.Get("/readers", http.StatusOK), "<span>In use</span>")
}

// Before the first refresh the page does not say that there is no reader.
func TestNeverRefreshed(t *testing.T) {
	v := serve(t, &fakeDevice{found: twoReaders(), busy: true}, "en")
	page := v.Get("/readers", http.StatusOK)
	uitest.Contains(t, page, "A fingerprint is being captured", "not been checked yet")
	uitest.NotContains(t, page, "No reader found", "Checked")
}

// An old list is refreshed even without a reported change.
func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &fakeDevice{found: twoReaders()}
		pages, err := New(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, step := range []struct {
			after  time.Duration
			wanted int
		}{{0, 0}, {maxAge - 1, 0}, {1, 1}, {time.Second, 1}} {
			time.Sleep(step.after)
			if i == 0 {
				if err := pages.refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			pages.mu.Lock()
			pages.isStale()
			pages.mu.Unlock()
			if len(pages.refreshRequests) != step.wanted {
				t.Errorf("step %d: %d looks are wanted, want %d", i, len(pages.refreshRequests), step.wanted)
			}
		}
	})
}

// TestOwnerChooses: another reader is used after an owner's choice and PIN, if it is the
// one that the owner saw.
func TestOwnerChooses(t *testing.T) {
	for _, l := range i18n.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			g := &fakeDevice{found: twoReaders()}
			g.found = append(g.found, rdservice.Device{
				Service: rdservice.Service{Address: "http://127.0.0.1:11102", Status: rdservice.Ready, CapturePath: "/c"},
				Info:    rdservice.DeviceInfo{DPID: "MORPHO.SMART", MI: "MSO1300E", Serial: "NEW-1"},
			})
			v := serve(t, g, l.Code)
			page := v.Get("/readers", http.StatusOK)
			uitest.Contains(t, page, "/readers/use", "NEW-1")
			g.set(func(g *fakeDevice) { g.own = "GONE-7" })
			page = v.Get("/readers", http.StatusOK)
			uitest.Contains(t, page, "GONE-7", `id="readers-own" class="alert"`)
			v.GetRedirect("/enter?role=operator&operator=2&name=Ravi&to=/readers&language=" + l.Code)
			uitest.NotContains(t, v.Get("/readers", http.StatusOK), "/readers/use")
			v.Post("/readers/use", http.StatusForbidden, "address", "http://127.0.0.1:11102", "serial", "NEW-1")
			v.GetRedirect("/enter?confirm=no&to=/readers&language=" + l.Code)
			v.Get("/readers", http.StatusOK)
			uitest.Contains(t, v.Post("/readers/use", http.StatusOK, "address", "http://127.0.0.1:11102", "serial", "NEW-1"), `name="confirm"`, `value="NEW-1"`)
			if _, serial, _ := g.AssignedName(); serial != "GONE-7" {
				t.Fatal("a reader was chosen without the PIN")
			}
			v.Post("/readers/use", http.StatusOK, "address", "http://127.0.0.1:11102", "serial", "OLD-1", "confirm", uitest.PIN)
			v.Post("/readers/use", http.StatusOK, "address", "http://127.0.0.1:11100", "serial", "") // it does not identify itself
			if _, serial, _ := g.AssignedName(); serial != "GONE-7" {
				t.Error("another device was chosen than was shown")
			}
			if to := v.Post("/readers/use", http.StatusSeeOther, "address", "http://127.0.0.1:11102", "serial", "NEW-1"); to != "/readers" {
				t.Errorf("it leads to %s", to)
			}
			page = v.Get("/readers", http.StatusOK)
			uitest.Contains(t, page, `id="readers-own" class="aside"`, "NEW-1")
			uitest.NotContains(t, page, "GONE-7")
		})
	}
}
