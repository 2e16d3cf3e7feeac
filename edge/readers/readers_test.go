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
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/rdservice"
	"galla/shared/secret"
)

// glass is a device whose answers the test sets.
type glass struct {
	mu    sync.Mutex
	found []rdservice.Device
	busy  bool
	err   error
	looks int
	dull  bool // it tells no quality

	status  string // of the reader in use; READY where empty
	own     string // serial number of the counter's reader; empty: none is
	changes int
	hold    chan struct{} // a look waits for it
}

// State implements Device.
func (g *glass) State() edge.DeviceState {
	g.mu.Lock()
	defer g.mu.Unlock()
	return edge.DeviceState{Status: cmp.Or(g.status, "READY"), Name: "Mantra MFS110"}
}

// Changes implements Device.
func (g *glass) Changes() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changes
}

func (g *glass) set(alter func(*glass)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	alter(g)
}

func (g *glass) Readers(context.Context) ([]rdservice.Device, error) {
	g.mu.Lock()
	hold := g.hold
	g.mu.Unlock()
	if hold != nil {
		<-hold
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.looks++
	if g.busy {
		return nil, rdservice.ErrBusy
	}
	return slices.Clone(g.found), nil // a test alters its own while the page shows these
}

// Own implements Device.
func (g *glass) Own() (name, serial string, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return "Mantra (MFS110)", g.own, g.own != ""
}

// IsOwn implements Device. The caller of the page's own lock may hold it.
func (g *glass) IsOwn(r rdservice.Device) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.own != "" && r.Info.Serial == g.own
}

// Choose implements Device.
func (g *glass) Choose(r rdservice.Device) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Info.Serial == "" {
		return rdservice.ErrNoInterface
	}
	g.own = r.Info.Serial
	return nil
}

func (g *glass) InUse() string { return "http://127.0.0.1:11101" }

func (g *glass) Capture(context.Context) (edge.Capture, error) {
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

// failing makes the next capture end with the reader not ready.
func failing(g *glass) {
	g.err = &edge.CaptureError{Code: "720", Message: "The reader is not ready."}
}

func two() []rdservice.Device {
	return []rdservice.Device{
		{
			Service: rdservice.Service{Address: "http://127.0.0.1:11101", Status: rdservice.Ready, CapturePath: "/c"},
			Info:    rdservice.DeviceInfo{DPID: "MANTRA.MSIPL", MI: "MFS110", Serial: "4711", Level: rdservice.L1, CertificateEnds: webtest.Now().AddDate(0, 0, 3)},
		},
		{Service: rdservice.Service{Address: "http://127.0.0.1:11100", Status: rdservice.NotReady, Info: "Morpho_RD_Service"}},
	}
}

func serve(t *testing.T, g *glass, language string) *webtest.Visitor {
	t.Helper()
	room, err := New(g, func() time.Time { return webtest.Now() })
	if err != nil {
		t.Fatal(err)
	}
	v := webtest.Serve(t, webtest.NewCounter(), room).Visitor(t)
	running(t, room)
	v.Leads("/enter?operator=agent&to=/devices&language=" + language)
	return v
}

// running runs the room while the test goes on.
func running(t *testing.T, room *Room) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- room.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(words.Catalogue{Room: "readers", Files: files}) {
		t.Error(fault)
	}
}

func TestList(t *testing.T) {
	g := &glass{found: two()}
	v := serve(t, g, "en")
	page := v.Get("/devices", http.StatusOK)
	webtest.Has(t, page, "Mantra", "MFS110", "4711", "L1", "24 Nov 2026: ends soon", "Customers&#39; fingers", "Morpho", "Not ready", "Spare", "certificate ends soon")
	v.Get("/devices", http.StatusOK)
	if g.looks != 1 {
		t.Errorf("%d looks for two pages", g.looks)
	}
	g.set(unplugged)
	webtest.HasNot(t, v.Get("/devices", http.StatusOK), "<span>Ready</span>")
	g.set(func(g *glass) { g.found = nil })
	v.Post("/devices/look", http.StatusSeeOther)
	webtest.Has(t, v.Get("/devices", http.StatusOK), "No reader was found")
	g.set(func(g *glass) { g.busy = true })
	webtest.Has(t, v.Post("/devices/look", http.StatusOK), "A finger is being captured")
}

func TestTry(t *testing.T) {
	g := &glass{found: two()}
	v := serve(t, g, "en")
	v.Get("/devices", http.StatusOK)
	v.Post("/devices/test", http.StatusSeeOther)
	page := v.Get("/devices", http.StatusOK)
	webtest.Has(t, page, "quality 71 of 100")
	webtest.HasNot(t, page, "sealed")
	g.set(func(g *glass) { g.dull = true })
	v.Post("/devices/test", http.StatusSeeOther)
	page = v.Get("/devices", http.StatusOK)
	webtest.Has(t, page, "The test went well.")
	webtest.HasNot(t, page, "quality")
	g.set(failing)
	v.Post("/devices/test", http.StatusSeeOther)
	webtest.Has(t, v.Get("/devices", http.StatusOK), "The reader is not ready.", "/help?code=720")
}

func TestTryHindi(t *testing.T) {
	g := &glass{found: two(), err: &edge.CaptureError{Code: "720", Message: "The reader is not ready."}}
	v := serve(t, g, "hi")
	v.Get("/devices", http.StatusOK)
	v.Post("/devices/test", http.StatusSeeOther)
	page := v.Get("/devices", http.StatusOK)
	webtest.Has(t, page, "जाँच विफल")
	webtest.HasNot(t, page, "The reader is not ready.")
}

// A reader that answers at two addresses is in use at either.
func TestTwoAddresses(t *testing.T) {
	book, err := words.Load(words.Catalogue{Room: "readers", Files: files})
	if err != nil {
		t.Fatal(err)
	}
	d := two()[0]
	d.Service.Address, d.Also = "http://127.0.0.1:11100", []string{"https://127.0.0.1:11200"}
	for at, want := range map[string]bool{"http://127.0.0.1:11100": true, "https://127.0.0.1:11200": true, "http://127.0.0.1:11101": false, "": false} {
		if got := tell(book.In("en"), d, at, webtest.Now()); got.InUse != want {
			t.Errorf("%q: %+v", at, got)
		}
	}
}

// unplugged: the reader in use no longer captures, and the device found out.
func unplugged(g *glass) {
	g.found[0].Service.Status = rdservice.NotReady
	g.status, g.changes = "NOTREADY", g.changes+1
}

// Where something changed since the look, nothing is said of it that was true
// then only; the reader in use is told of as on the status bar.
func TestOldLook(t *testing.T) {
	g := &glass{found: two()}
	v := serve(t, g, "en")
	webtest.Has(t, v.Get("/devices", http.StatusOK), "<span>Ready</span>", "Looked at 10:14")
	hold := make(chan struct{})
	g.set(func(g *glass) { g.hold = hold; unplugged(g) })
	page := v.Get("/devices", http.StatusOK)
	webtest.Has(t, page, "<span>Not ready</span>", "<span>Being looked at again</span>", "Something changed since 10:14")
	webtest.HasNot(t, page, "<span>Ready</span>")
	close(hold)
	g.set(func(g *glass) { g.status = "USED" })
	webtest.Has(t, v.Get("/devices", http.StatusOK), "<span>In use</span>")
}

// Before the first look nobody says that there is no reader.
func TestNeverLooked(t *testing.T) {
	v := serve(t, &glass{found: two(), busy: true}, "en")
	page := v.Get("/devices", http.StatusOK)
	webtest.Has(t, page, "A finger is being captured", "not been looked at yet")
	webtest.HasNot(t, page, "No reader was found", "Looked at")
}

// A look that is old is taken anew though the device tells of no change.
func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &glass{found: two()}
		room, err := New(g, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, step := range []struct {
			after  time.Duration
			wanted int
		}{{0, 0}, {maxAge - 1, 0}, {1, 1}, {time.Second, 1}} {
			time.Sleep(step.after)
			if i == 0 {
				if err := room.look(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			room.mu.Lock()
			room.old()
			room.mu.Unlock()
			if len(room.wanted) != step.wanted {
				t.Errorf("step %d: %d looks are wanted, want %d", i, len(room.wanted), step.wanted)
			}
		}
	})
}

// TestOwnerChooses: another reader than the counter's is used after an owner's word
// and PIN, of the device that the owner saw.
func TestOwnerChooses(t *testing.T) {
	for _, l := range words.Languages() {
		t.Run(l.Code, func(t *testing.T) {
			g := &glass{found: two()}
			g.found = append(g.found, rdservice.Device{
				Service: rdservice.Service{Address: "http://127.0.0.1:11102", Status: rdservice.Ready, CapturePath: "/c"},
				Info:    rdservice.DeviceInfo{DPID: "MORPHO.SMART", MI: "MSO1300E", Serial: "NEW-1"},
			})
			v := serve(t, g, l.Code)
			page := v.Get("/devices", http.StatusOK)
			webtest.Has(t, page, "/devices/use", "NEW-1")
			g.set(func(g *glass) { g.own = "GONE-7" })
			page = v.Get("/devices", http.StatusOK)
			webtest.Has(t, page, "GONE-7", `id="readers-own" class="alert"`)
			v.Leads("/enter?role=operator&operator=2&name=Ravi&to=/devices&language=" + l.Code)
			webtest.HasNot(t, v.Get("/devices", http.StatusOK), "/devices/use")
			v.Post("/devices/use", http.StatusForbidden, "address", "http://127.0.0.1:11102", "serial", "NEW-1")
			v.Leads("/enter?confirm=no&to=/devices&language=" + l.Code)
			v.Get("/devices", http.StatusOK)
			webtest.Has(t, v.Post("/devices/use", http.StatusOK, "address", "http://127.0.0.1:11102", "serial", "NEW-1"), `name="confirm"`, `value="NEW-1"`)
			if _, serial, _ := g.Own(); serial != "GONE-7" {
				t.Fatal("a reader was chosen without the PIN")
			}
			v.Post("/devices/use", http.StatusOK, "address", "http://127.0.0.1:11102", "serial", "OLD-1", "confirm", webtest.PIN)
			v.Post("/devices/use", http.StatusOK, "address", "http://127.0.0.1:11100", "serial", "") // it does not say who it is
			if _, serial, _ := g.Own(); serial != "GONE-7" {
				t.Error("another device was chosen than was shown")
			}
			if to := v.Post("/devices/use", http.StatusSeeOther, "address", "http://127.0.0.1:11102", "serial", "NEW-1"); to != "/devices" {
				t.Errorf("it leads to %s", to)
			}
			page = v.Get("/devices", http.StatusOK)
			webtest.Has(t, page, `id="readers-own" class="aside"`, "NEW-1")
			webtest.HasNot(t, page, "GONE-7")
		})
	}
}
