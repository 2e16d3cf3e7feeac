package printer

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
	"galla/edge/printing/printer"
	"galla/edge/printing/receipt"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

const slipID op.ID = "01a1fda3-6789-76b2-bddd-9b2e2a564f1a"

// testCounter is a counter with one operation.
type testCounter struct {
	*uitest.Counter
	mu   sync.Mutex
	view edge.View
}

func newTill() *testCounter {
	at := uitest.Now()
	return &testCounter{Counter: uitest.NewCounter(), view: edge.View{Record: edge.Record{
		ID: slipID, Route: op.Withdrawal, Class: op.Money, State: op.Succeeded, Customer: "Asha", Aadhaar: "XXXXXXXX7058",
		Amount: 500_00, CreatedAt: at, SentAt: at, EndedAt: at, Result: edge.Result{Code: "00", Reference: "AEPS-4711"},
	}}}
}

func (c *testCounter) set(alter func(*edge.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	alter(&c.view)
}

func (c *testCounter) Operation(id op.ID) (edge.View, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != slipID {
		return edge.View{}, edge.ErrNotFound
	}
	return c.view, nil
}

func (c *testCounter) CountPrint(op.ID) (edge.Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.view.PrintCount, c.view.PrintedAt = c.view.PrintCount+1, uitest.Now()
	return c.view.Record, nil
}

func (c *testCounter) UncountPrint(_ op.ID, number int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.view.PrintCount == number {
		c.view.PrintCount--
	}
	return nil
}

// prints is the number of counted slips.
func (c *testCounter) prints() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.view.PrintCount
}

// network plays a network printer. A hanging one accepts connections and reads nothing.
type network struct {
	net.Listener
	mu   sync.Mutex
	got  bytes.Buffer
	open []net.Conn
}

func play(t *testing.T, hangs bool) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{Listener: l}
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n.mu.Lock()
			n.open = append(n.open, c)
			n.mu.Unlock()
			if !hangs {
				wait.Go(func() { n.read(c) })
			}
		}
	})
	t.Cleanup(func() {
		_ = l.Close() // a test may have switched it off
		n.mu.Lock()
		for _, c := range n.open {
			_ = c.Close() // the counter may have closed it
		}
		n.mu.Unlock()
		wait.Wait()
	})
	return n
}

// read answers each query with 'ready', and records the rest.
func (n *network) read(c net.Conn) {
	b := make([]byte, 4096)
	for {
		k, err := c.Read(b)
		if err != nil {
			return
		}
		rest := b[:k]
		for _, q := range []byte{1, 2, 4} {
			query := []byte{0x10, 0x04, q}
			for bytes.Contains(rest, query) {
				rest = bytes.Replace(bytes.Clone(rest), query, nil, 1)
				_, _ = c.Write([]byte{0x12}) // the counter may have closed it
			}
		}
		n.mu.Lock()
		n.got.Write(rest)
		n.mu.Unlock()
	}
}

// printed returns what arrived, and clears it.
func (n *network) printed() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer n.got.Reset()
	return n.got.String()
}

// testPages is the section of the printer, running and served.
type testPages struct {
	t       *testing.T
	pages   *Pages
	counter *testCounter
	*uitest.Client

	mu   sync.Mutex
	kept []Settings
	full bool // settings can't be stored
	nth  int
}

func serve(t *testing.T, s Settings, who string) *testPages {
	t.Helper()
	sh := &testPages{t: t, counter: newTill()}
	pages, err := New(sh.counter, Config{
		Settings: s, Now: uitest.Now, Logger: slog.New(slog.DiscardHandler),
		Save: func(s Settings) error {
			sh.mu.Lock()
			defer sh.mu.Unlock()
			if sh.full {
				return errors.New("no space left on device")
			}
			sh.kept = append(sh.kept, s)
			return nil
		},
		Receipt: func(r edge.Record, words *i18n.Localizer) receipt.Receipt {
			return receipt.New(r, receipt.Shop{Merchant: "Lakshmi Kirana Store", TID: "GAL00001"}, words)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	sh.pages = pages
	sh.Client = uitest.Serve(t, sh.counter, pages).NewClient(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- pages.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	})
	sh.GetRedirect("/enter?to=/printer&" + who)
	sh.Get("/printer", http.StatusOK) // with the token that forms need
	return sh
}

const owner, helper = "operator=agent&role=owner", "operator=asha&role=operator"

func networkPrinter(n *network) Settings {
	return Settings{Kind: printer.TCP, Address: n.Addr().String()}
}

// submit sends the form of a page that was opened again.
func (s *testPages) submit(path string, status int) string {
	s.t.Helper()
	s.nth++
	return s.Post(path, status, "form", string(rune('a'+s.nth)))
}

// until waits for a status of the operation's slip.
func (s *testPages) until(ok func(PrintStatus) bool) PrintStatus {
	s.t.Helper()
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		v, err := s.counter.Operation(slipID)
		if err != nil {
			s.t.Fatal(err)
		}
		status := s.pages.SlipStatus(v.Record, s.pages.kit.In(i18n.English))
		if ok(status) {
			return status
		}
		if time.Now().After(limit) {
			s.t.Fatalf("the slip stays at %+v", status)
		}
	}
}

const printPath = "/op/" + string(slipID) + "/print"

func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "printer", Files: files})
}

// TestOriginalAndDuplicate: a double click prints once, and each later slip has its
// number.
func TestOriginalAndDuplicate(t *testing.T) {
	n := play(t, false)
	s := serve(t, networkPrinter(n), helper)
	for range 2 {
		if to := s.Post(printPath, http.StatusSeeOther, "form", "1"); to != "/op/"+string(slipID)+"/receipt" {
			t.Errorf("it leads to %q", to)
		}
	}
	status := s.until(func(s PrintStatus) bool { return s.Tone == "ok" })
	uitest.Contains(t, status.Text, "Printed at ")
	first := n.printed()
	if bytes.Count([]byte(first), []byte("XXXXXXXX7058")) != 1 || bytes.Contains([]byte(first), []byte("DUPLICATE")) {
		t.Errorf("the original is %q", first)
	}
	if s.counter.prints() != 1 {
		t.Errorf("%d prints are counted", s.counter.prints())
	}
	s.submit(printPath, http.StatusSeeOther)
	s.until(func(PrintStatus) bool { return s.counter.prints() == 2 })
	s.until(func(s PrintStatus) bool { return s.Tone == "ok" })
	if again := n.printed(); bytes.Count([]byte(again), []byte("DUPLICATE 1, 21 Nov 2026, 10:14:00")) != 2 {
		t.Errorf("the reprint is %q", again)
	}
}

// TestCustomersLanguage: the slip has the language of the consent.
func TestCustomersLanguage(t *testing.T) {
	n := play(t, false)
	s := serve(t, networkPrinter(n), helper)
	s.counter.set(func(v *edge.View) { v.Consent = "AEPS-TA-1" })
	s.submit(printPath, http.StatusSeeOther)
	s.until(func(s PrintStatus) bool { return s.Tone == "ok" })
	if got := n.printed(); !bytes.Contains([]byte(got), []byte("\x1dv0")) || bytes.Contains([]byte(got), []byte("CASH")) {
		t.Errorf("no raster in %d bytes", len(got))
	}
}

// TestNothingOnPaper: a slip of which nothing was printed is reported as such, and the
// next is the original.
func TestNothingOnPaper(t *testing.T) {
	s := serve(t, Settings{Kind: printer.USB, Address: filepath.Join(t.TempDir(), "lp0")}, owner)
	s.submit(printPath, http.StatusSeeOther)
	status := s.until(func(s PrintStatus) bool { return s.Tone == "bad" })
	uitest.Contains(t, status.Text, "Not printed", "Check its power, cable and address")
	if s.counter.prints() != 0 {
		t.Errorf("%d prints are counted", s.counter.prints())
	}
	uitest.Contains(t, s.Get("/printer", http.StatusOK), "Printer not found", "Check its power")
}

// TestHangs: while a printer hangs, slips are queued or refused at once, pages load, and
// another printer can be set up; queued slips are then reported as not printed.
func TestHangs(t *testing.T) {
	n := play(t, true)
	s := serve(t, networkPrinter(n), owner)
	for range 12 {
		s.nth++
		reply, body := s.Do(s.Form(printPath, "form", string(rune('a'+s.nth))))
		if reply.StatusCode == http.StatusConflict {
			uitest.Contains(t, body, "The printer&#39;s queue is full")
			break
		}
	}
	queued := s.counter.prints()
	if queued < 8 || queued > 9 {
		t.Errorf("%d slips were queued", queued)
	}
	s.until(func(s PrintStatus) bool { return s.Text == "Sending to the printer. You can continue." })
	uitest.Contains(t, s.Get("/printer", http.StatusOK), "Receipt printer")
	well := play(t, false)
	s.Post("/printer", http.StatusSeeOther, "kind", "tcp", "address", well.Addr().String(), "width", "58", "code", "drawn", "baud", "9600")
	s.until(func(s PrintStatus) bool { return s.Tone == "bad" })
	s.submit(printPath, http.StatusSeeOther)
	s.until(func(s PrintStatus) bool { return s.Tone == "ok" })
	if got := well.printed(); !bytes.Contains([]byte(got), []byte("XXXXXXXX7058")) {
		t.Errorf("the new printer got %q", got)
	}
	if want := (Settings{Kind: printer.TCP, Address: well.Addr().String(), Narrow: true, DrawQR: true}); len(s.kept) != 1 || s.kept[0] != want {
		t.Errorf("kept %+v, want %+v", s.kept, want)
	}
}

func TestSetUp(t *testing.T) {
	n := play(t, false)
	s := serve(t, Settings{}, owner)
	uitest.Contains(t, s.Get("/printer", http.StatusOK), "No receipt printer is set up", "Connection")
	uitest.Contains(t, s.submit(printPath, http.StatusConflict), "No receipt printer")
	uitest.Contains(t, s.submit("/printer/test", http.StatusConflict), "No receipt printer")
	for _, address := range []string{"", "two words", "\x00", "मशीन"} {
		uitest.Contains(t, s.Post("/printer", http.StatusUnprocessableEntity, "kind", "tcp", "address", address), "Enter the printer&#39;s address without spaces.")
	}
	s.Post("/printer", http.StatusUnprocessableEntity, "kind", "parallel", "address", "x")
	s.full = true
	uitest.Contains(t, s.Post("/printer", http.StatusInternalServerError, "kind", "tcp", "address", n.Addr().String()), "could not be saved")
	if s.pages.Ready() {
		t.Error("a printer that was not kept is in use")
	}
	s.full = false
	s.Post("/printer", http.StatusSeeOther, "kind", "tcp", "address", n.Addr().String(), "width", "80")
	s.submit("/printer/test", http.StatusSeeOther)
	for limit := time.Now().Add(20 * time.Second); !bytes.Contains([]byte(s.Get("/printer", http.StatusOK)), []byte("Printed at")); {
		if time.Now().After(limit) {
			t.Fatal("the test page was never printed")
		}
	}
	if got := n.printed(); !bytes.Contains([]byte(got), []byte("GALLA TEST")) {
		t.Errorf("the test page is %q", got)
	}
	uitest.Contains(t, s.Get("/printer", http.StatusOK), "Printer ready", n.Addr().String(), "80 mm")
	s.Post("/printer", http.StatusSeeOther, "kind", "", "address", "left over")
	if s.pages.Ready() || s.kept[len(s.kept)-1] != (Settings{}) {
		t.Errorf("a printer is left: %+v", s.kept)
	}
}

// TestOwnerOnly: other users print, and can't set anything up.
func TestOwnerOnly(t *testing.T) {
	n := play(t, false)
	s := serve(t, networkPrinter(n), helper)
	page := s.Get("/printer", http.StatusOK)
	uitest.Contains(t, page, "The owner of this counter sets up the printer.")
	uitest.NotContains(t, page, `name="address"`)
	s.Post("/printer", http.StatusForbidden, "kind", "tcp", "address", "192.0.2.1")
	if len(s.kept) != 0 {
		t.Error("an operator set the printer up")
	}
}

// TestNoSlip: unfinished operations, and the daily authentication, have no slip.
func TestNoSlip(t *testing.T) {
	n := play(t, false)
	s := serve(t, networkPrinter(n), helper)
	for _, alter := range []func(*edge.View){
		func(v *edge.View) { v.State = op.Accepted },
		func(v *edge.View) { v.State, v.Route = op.Succeeded, op.ReqAuth },
	} {
		s.counter.set(alter)
		if to := s.submit(printPath, http.StatusSeeOther); to != "/op/"+string(slipID) {
			t.Errorf("it leads to %q", to)
		}
	}
	s.submit("/op/01a1fda3-6789-76b2-bddd-9b2e2a564f1b/print", http.StatusNotFound)
	s.submit("/op/x/print", http.StatusNotFound)
	if s.counter.prints() != 0 {
		t.Error("a slip was counted")
	}
}

// TestBrowserPrints: browser prints are counted too.
func TestBrowserPrints(t *testing.T) {
	s := serve(t, Settings{}, helper)
	s.submit("/op/"+string(slipID)+"/printed", http.StatusSeeOther)
	status := s.until(func(s PrintStatus) bool { return s.Text != "" })
	uitest.Contains(t, status.Text, "Printed once", "marked DUPLICATE")
}

// TestOthersSlips: other sections print too, without counting.
func TestOthersSlips(t *testing.T) {
	n := play(t, false)
	s := serve(t, networkPrinter(n), helper)
	closing := receipt.Receipt{Shop: []string{"Lakshmi Kirana Store"}, Title: "Close the day", Rows: []receipt.Row{{Label: "Opening", Value: "−₹1,200.00"}, {Label: "1 unsettled"}}}
	if err := s.pages.Print("closing", closing); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if st, _, _ := s.pages.state(); st.Last.Name == "closing" {
			if st.Last.Outcome != printer.Printed {
				t.Errorf("%+v", st.Last)
			}
			break
		}
		if time.Now().After(limit) {
			t.Fatal("it was never printed")
		}
	}
	if s.counter.prints() != 0 || n.printed() == "" {
		t.Error("a closing was counted as an operation's slip, or not printed")
	}
	if err := serve(t, Settings{}, helper).pages.Print("closing", closing); !errors.Is(err, ErrNoPrinter) {
		t.Errorf("without a printer: %v", err)
	}
}

func TestChip(t *testing.T) {
	s := serve(t, Settings{}, helper)
	uitest.NotContains(t, s.Get("/printer", http.StatusOK), `title="Check its power`)
	s = serve(t, Settings{Kind: printer.USB, Address: filepath.Join(t.TempDir(), "lp0")}, helper)
	for limit := time.Now().Add(20 * time.Second); ; {
		page := s.Get("/printer", http.StatusOK)
		if bytes.Contains([]byte(page), []byte(`title="Check its power, cable and address, then print again."`)) {
			break
		}
		if time.Now().After(limit) {
			t.Fatal("the chip never told of the printer")
		}
	}
}

// TestBrokenSettings: a counter starts with any stored settings.
func TestBrokenSettings(t *testing.T) {
	s := serve(t, Settings{Kind: "parallel", Address: "LPT1"}, owner)
	uitest.Contains(t, s.Get("/printer", http.StatusOK), "No receipt printer is set up")
}
