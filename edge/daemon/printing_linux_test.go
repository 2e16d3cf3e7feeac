package daemon

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/printing/printer"
	"galla/edge/queue"
	"galla/edge/ui"
	"galla/edge/ui/aeps"
	"galla/edge/ui/help"
	uiprinter "galla/edge/ui/printer"
	"galla/edge/ui/uitest"
	uiusers "galla/edge/ui/users"
	"galla/edge/users"
	"galla/shared/op"
	"galla/shared/seal"
	"galla/shared/secret"
	"galla/shared/wire"
)

// fakeReader is a reader that always has a finger.
type fakeReader struct{}

func (fakeReader) State() edge.ReaderState {
	return edge.ReaderState{Status: "READY", Name: "Mantra MFS110"}
}

func (fakeReader) Capture(context.Context) (edge.Capture, error) {
	return edge.Capture{PidData: secret.NewPidData("<PidData/>"), CapturedAt: time.Now(), Quality: 80}, nil
}

// fakeLink is a link to a bank that says what the test wants.
type fakeLink struct {
	counter *edge.Counter
	frames  chan wire.Frame
	answer  func(op.RouteID) op.State
}

func (*fakeLink) State() edge.LinkState { return edge.LinkState{Online: true, Window: 8} }

func (b *fakeLink) Send(f wire.Frame) error {
	b.frames <- f
	return nil
}

// run answers what was sent until ctx ends.
func (b *fakeLink) run(ctx context.Context, t *testing.T) {
	for {
		var f wire.Frame
		select {
		case <-ctx.Done():
			return
		case f = <-b.frames:
		}
		if f.T != wire.TOp {
			continue
		}
		data := `{"ResponseCode":"00","STAN":"004211","RRN":"632504004211","Reference":"GAL00001-004211"}`
		switch f.Route {
		case op.AuthStatus:
			data = fmt.Sprintf(`{"authenticated":true,"expiresAt":%q}`, time.Now().Add(20*time.Hour).UTC().Format(time.RFC3339))
		case op.Banks:
			data = `[{"iin":"990326","bankName":"Sandbox test bank"}]`
		}
		out := wire.OutcomeFrame(f.ID, op.Outcome{State: b.answer(f.Route), HTTP: 200, Reply: []byte(`{"statusCode":"00","message":"m","data":` + data + `}`)})
		if err := b.counter.Receive(out); err != nil {
			t.Errorf("the counter refuses the outcome of %s: %v", f.Route, err)
		}
	}
}

// testDaemon is a counter with its real queue, pages and printer's section.
type testDaemon struct {
	t       *testing.T
	counter *edge.Counter
	folder  folder
	key     secret.Key
	pages   string // address
}

// open makes a counter as Run does, with a reader and a link of the test's.
func open(t *testing.T, settings Settings, answer func(op.RouteID) op.State) *testDaemon {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	cfg := Config{Rand: rand.Reader, Logger: log}
	s := &testDaemon{t: t, folder: folder(t.TempDir())}
	var err error
	if s.key, err = seal.EnsureKeyFile(s.folder.queueKey(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	if _, err := seal.EnsureKeyFile(s.folder.terminalKey(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	if settings.AgentAadhaar, err = secret.ParseAadhaar(agentAadhaar); err != nil {
		t.Fatal(err)
	}
	if settings.PINHash, err = users.HashPIN(secret.NewOTP("2580"), rand.Reader); err != nil {
		t.Fatal(err)
	}
	settings.Agent, settings.Merchant, settings.TID, settings.MID = "Fatima", "Lakshmi Kirana Store", "GAL00001", "GAL0000001"
	q, _, err := queue.Open(queue.Config{Path: s.folder.queue(), Key: s.key, Rand: rand.Reader, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	operators, err := openUsers(q, settings, cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.counter, err = edge.New(q, fakeReader{}, edge.Config{
		Agent: settings.Agent, AgentAadhaar: settings.AgentAadhaar, Merchant: settings.Merchant, MerchantID: "m1", TID: settings.TID,
		Latitude: "18.5204", Longitude: "73.8567", AadhaarOf: operators.AadhaarOf, Rand: rand.Reader, Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	link := &fakeLink{counter: s.counter, frames: make(chan wire.Frame, 16), answer: answer}
	s.counter.SetLink(link)
	slips, err := openPrinter(s.counter, &settingsStore{folder: s.folder, key: s.key, rand: rand.Reader, settings: settings}, settings, cfg)
	if err != nil {
		t.Fatal(err)
	}
	first, err := aeps.New(s.counter, aeps.Config{Receipt: slips.View, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	managing, err := uiusers.New(operators, log)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := ui.New(s.counter, ui.Config{
		Name: uitest.Hostname, UserActive: managing.IsActive, CheckPIN: managing.CheckPIN, Catalogues: []i18n.Catalogue{outcome.Catalogue()}, Rand: rand.Reader, Logger: log,
	}, first, managing, slips, help.New(""), uitest.LoginSection())
	if err != nil {
		t.Fatal(err)
	}
	srv := uitest.Start(t, pages.Handler())
	s.pages = srv.URL
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = s.counter.Run(ctx) }) // it ends with ctx
	running.Go(func() { link.run(ctx, t) })
	running.Go(func() {
		if err := slips.Run(ctx); err != nil {
			t.Errorf("the printer's section ended with %v", err)
		}
	})
	t.Cleanup(func() {
		pages.Close()
		srv.Close()
		cancel()
		running.Wait()
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	s.signIn()
	return s
}

// fatima enrolled the counter.
var fatima = edge.User{ID: edge.AgentID, Name: "Fatima", Role: edge.RoleOwner}

// signIn gives the agent's finger for the day, and waits for the bank list.
func (s *testDaemon) signIn() {
	s.t.Helper()
	if err := s.counter.Welcome(wire.Frame{T: wire.TWelcome, Clock: time.Now().UnixMilli(), Window: 8}); err != nil {
		s.t.Fatal(err)
	}
	s.until("the bank list", func() bool { banks, _ := s.counter.Banks(); return len(banks) > 0 })
	v, err := s.counter.Start(edge.Request{Route: op.ReqAuth, User: fatima.Name, UserID: fatima.ID})
	if err != nil {
		s.t.Fatal(err)
	}
	s.finger(v.ID, op.Succeeded)
	s.until("the day's session", func() bool { return s.counter.Status().Session.BelongsTo(fatima) })
}

func (s *testDaemon) until(what string, ok func() bool) {
	s.t.Helper()
	for limit := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			s.t.Fatalf("%s never came", what)
		}
	}
}

// finger captures for an operation and waits for its end.
func (s *testDaemon) finger(id op.ID, want op.State) {
	s.t.Helper()
	if err := s.counter.Capture(id); err != nil {
		s.t.Fatal(err)
	}
	s.until(string(want), func() bool {
		v, err := s.counter.Operation(id)
		return err == nil && v.State == want
	})
}

// withdraw takes a withdrawal to its end.
func (s *testDaemon) withdraw(consent string, want op.State) op.ID {
	s.t.Helper()
	number, err := secret.ParseAadhaar("999941057058")
	if err != nil {
		s.t.Fatal(err)
	}
	v, err := s.counter.Start(edge.Request{
		Route: op.Withdrawal, Aadhaar: number, Customer: "Asha Kale", IIN: "990326", Amount: 500_00, Consent: consent, User: fatima.Name, UserID: fatima.ID,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.finger(v.ID, want)
	return v.ID
}

func succeeds(op.RouteID) op.State { return op.Succeeded }

// dead gives the name of a pseudo-terminal behind which nobody reads: a printer
// that takes what its buffer holds, and then hangs.
func dead(t *testing.T) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	var number, unlock int32
	for request, argument := range map[uintptr]unsafe.Pointer{syscall.TIOCSPTLCK: unsafe.Pointer(&unlock), syscall.TIOCGPTN: unsafe.Pointer(&number)} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(argument)); errno != 0 {
			t.Fatal(errno)
		}
	}
	return fmt.Sprintf("/dev/pts/%d", number)
}

// TestAHangingPrinterHoldsNothingUp: a slip hangs in a printer, and meanwhile a
// withdrawal begins, ends and shows its receipt.
func TestAHangingPrinterHoldsNothingUp(t *testing.T) {
	s := open(t, Settings{Printer: uiprinter.Settings{Kind: printer.USB, Address: dead(t)}}, succeeds)
	first := s.withdraw("AEPS-HI-1", op.Succeeded) // in Hindi: more dots than the terminal's buffer holds
	v := uitest.NewClient(t, s.pages, nil)
	v.GetRedirect("/enter?operator=agent&name=Fatima&role=owner&to=/")
	v.Get("/op/"+string(first)+"/receipt", http.StatusOK)
	v.Post("/op/"+string(first)+"/print", http.StatusSeeOther, "form", "1")
	going := "Sending to the printer"
	uitest.Contains(t, v.Get("/op/"+string(first)+"/receipt", http.StatusOK), going)

	second := s.withdraw("AEPS-EN-1", op.Succeeded)
	page := v.Get("/op/"+string(second)+"/receipt", http.StatusOK)
	uitest.Contains(t, page, "Cash withdrawal successful", "004211", "/print")
	v.Post("/op/"+string(second)+"/cash", http.StatusSeeOther)
	if got, err := s.counter.Operation(second); err != nil || got.CashGivenAt.IsZero() {
		t.Errorf("the cash was not confirmed: %v", err)
	}
	uitest.Contains(t, v.Get("/op/"+string(first)+"/receipt", http.StatusOK), going)
}

// TestReceiptSpeaksTheCustomersLanguage: on the screen too, whatever the
// operator reads, and a refusal's reason with it.
func TestReceiptSpeaksTheCustomersLanguage(t *testing.T) {
	s := open(t, Settings{}, succeeds)
	id := s.withdraw("AEPS-HI-1", op.Succeeded)
	v := uitest.NewClient(t, s.pages, nil)
	v.GetRedirect("/enter?operator=agent&name=Fatima&role=owner&to=/")
	page := v.Get("/op/"+string(id)+"/receipt", http.StatusOK)
	uitest.Contains(t, page, `lang="hi"`, "नकद निकासी: सफल", "Asha Kale", "XXXXXXXX7058", `class="qr"`, "Print")
	uitest.NotContains(t, page, "Cash withdrawal successful", "/print\"")
	if n := strings.Count(page, "DUPLICATE"); n != 0 {
		t.Errorf("an original says DUPLICATE %d times", n)
	}
	if _, err := s.counter.CountPrint(id); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(v.Get("/op/"+string(id)+"/receipt", http.StatusOK), "(DUPLICATE) 1"); n != 2 {
		t.Errorf("a reprint says DUPLICATE %d times, want 2", n)
	}
}

// TestPrinterSettingsAreSaved: what the owner sets up is sealed with the settings, and is
// there after a restart.
func TestPrinterSettingsAreSaved(t *testing.T) {
	s := open(t, Settings{Uplink: "ws://127.0.0.1:1/uplink"}, succeeds)
	v := uitest.NewClient(t, s.pages, nil)
	v.GetRedirect("/enter?operator=agent&name=Fatima&role=owner&to=/")
	v.Get("/printer", http.StatusOK)
	v.Post("/printer", http.StatusSeeOther, "kind", "tcp", "address", "192.0.2.7", "width", "58")
	got, _, _, err := s.folder.load(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if want := (uiprinter.Settings{Kind: printer.TCP, Address: "192.0.2.7", Narrow: true}); got.Printer != want || got.Agent != "Fatima" || got.Uplink == "" {
		t.Errorf("kept %+v", got)
	}
	raw, err := os.ReadFile(filepath.Join(string(s.folder), "settings.sealed"))
	if err != nil || bytes.Contains(raw, []byte("192.0.2.7")) {
		t.Errorf("the settings lie in the clear, or not at all: %v", err)
	}
}

// TestChromiumPrinter looks at the receipt and the printer's page in Chromium.
func TestChromiumPrinter(t *testing.T) {
	chromium := uitest.Chromium(t)
	s := open(t, Settings{Printer: uiprinter.Settings{Kind: printer.USB, Address: filepath.Join(t.TempDir(), "lp0")}}, func(route op.RouteID) op.State {
		if route == op.Withdrawal {
			return op.Pending
		}
		return op.Succeeded
	})
	id := s.withdraw("AEPS-HI-1", op.Pending)
	for _, c := range []struct {
		language      string
		width, height int64
	}{{"ta", 360, 740}, {"en", 1366, 768}} {
		b := uitest.Open(t, chromium, s.pages, c.width, c.height)
		b.Navigate("/enter?operator=agent&name=Fatima&role=owner&language=" + c.language + "&to=/printer")
		b.WaitFor(`document.querySelector("#printer-state .printer-state.warn")`)
		b.Screenshot("printer-" + c.language)
		b.Navigate("/op/" + string(id) + "/receipt")
		b.WaitFor(`document.querySelector("#receipt .code svg")`)
		before := s.prints(id)
		b.PressAndWait("p")                               // it may tell of an earlier failure
		b.WaitFor(`document.querySelector("#slip .bad")`) // not printed, and shown by itself
		b.Screenshot("receipt-" + c.language)
		if n := s.prints(id); n != before {
			t.Errorf("%d slips are counted of which nothing is on paper", n-before)
		}
		if n := b.PrintedPages(58); n != 1 {
			t.Errorf("on 58 mm the slip of a pending withdrawal has %d pages", n)
		}
		s.until("the count of what the browser printed", func() bool { return s.prints(id) > before })
	}
}

func (s *testDaemon) prints(id op.ID) int {
	s.t.Helper()
	v, err := s.counter.Operation(id)
	if err != nil {
		s.t.Fatal(err)
	}
	return v.PrintCount
}
