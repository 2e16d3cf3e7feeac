package paper

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
	"galla/edge/printer"
	"galla/edge/receipt"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/op"
)

const slipID op.ID = "01a1fda3-6789-76b2-bddd-9b2e2a564f1a"

// till is a counter with one operation.
type till struct {
	*webtest.Counter
	mu   sync.Mutex
	view edge.View
}

func newTill() *till {
	at := webtest.Now()
	return &till{Counter: webtest.NewCounter(), view: edge.View{Record: edge.Record{
		ID: slipID, Route: op.Withdrawal, Class: op.Money, State: op.Succeeded, Customer: "Asha", Aadhaar: "XXXXXXXX7058",
		Amount: 500_00, CreatedAt: at, SentAt: at, EndedAt: at, Result: edge.Result{Code: "00", Reference: "AEPS-4711"},
	}}}
}

func (c *till) set(alter func(*edge.View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	alter(&c.view)
}

func (c *till) Operation(id op.ID) (edge.View, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != slipID {
		return edge.View{}, edge.ErrNotFound
	}
	return c.view, nil
}

func (c *till) CountPrint(op.ID) (edge.Record, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.view.Prints, c.view.PrintedAt = c.view.Prints+1, webtest.Now()
	return c.view.Record, nil
}

func (c *till) UncountPrint(_ op.ID, number int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.view.Prints == number {
		c.view.Prints--
	}
	return nil
}

// prints is how many slips are counted.
func (c *till) prints() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.view.Prints
}

// network plays a printer on the network. A hanging one takes connections and
// reads nothing.
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

// read answers each query with 'well', and keeps the rest.
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

// printed is what came, and empties it.
func (n *network) printed() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer n.got.Reset()
	return n.got.String()
}

// shop is the room of a till, running and served.
type shop struct {
	t    *testing.T
	room *Room
	till *till
	*webtest.Visitor

	mu   sync.Mutex
	kept []Settings
	full bool // the disk takes no settings
	nth  int
}

func serve(t *testing.T, s Settings, who string) *shop {
	t.Helper()
	sh := &shop{t: t, till: newTill()}
	room, err := New(sh.till, Config{
		Settings: s, Now: webtest.Now, Logger: slog.New(slog.DiscardHandler),
		Keep: func(s Settings) error {
			sh.mu.Lock()
			defer sh.mu.Unlock()
			if sh.full {
				return errors.New("no space left on device")
			}
			sh.kept = append(sh.kept, s)
			return nil
		},
		Receipt: func(r edge.Record, say *words.Words) receipt.Receipt {
			return receipt.Make(r, receipt.Shop{Merchant: "Lakshmi Kirana Store", TID: "GAL00001"}, say)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	sh.room = room
	sh.Visitor = webtest.Serve(t, sh.till, room).Visitor(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- room.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with %v", err)
		}
	})
	sh.Leads("/enter?to=/printer&" + who)
	sh.Get("/printer", http.StatusOK) // with the token that forms need
	return sh
}

const owner, helper = "operator=agent&role=owner", "operator=asha&role=operator"

func tcp(n *network) Settings {
	return Settings{Kind: printer.TCP, Address: n.Addr().String()}
}

// press sends the form of a page that was opened anew.
func (s *shop) press(path string, status int) string {
	s.t.Helper()
	s.nth++
	return s.Post(path, status, "form", string(rune('a'+s.nth)))
}

// until waits for what is said of the operation's slip.
func (s *shop) until(ok func(Said) bool) Said {
	s.t.Helper()
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		v, err := s.till.Operation(slipID)
		if err != nil {
			s.t.Fatal(err)
		}
		said := s.room.Told(v.Record, s.room.kit.In(words.English))
		if ok(said) {
			return said
		}
		if time.Now().After(limit) {
			s.t.Fatalf("the slip stays at %+v", said)
		}
	}
}

const printPath = "/op/" + string(slipID) + "/print"

func TestTexts(t *testing.T) {
	for _, fault := range words.Faults(words.Catalogue{Room: "paper", Files: files}) {
		t.Error(fault)
	}
}

// TestOriginalAndDuplicate: a double click prints once, and each later slip says
// which it is.
func TestOriginalAndDuplicate(t *testing.T) {
	n := play(t, false)
	s := serve(t, tcp(n), helper)
	for range 2 {
		if to := s.Post(printPath, http.StatusSeeOther, "form", "1"); to != "/op/"+string(slipID)+"/receipt" {
			t.Errorf("it leads to %q", to)
		}
	}
	said := s.until(func(s Said) bool { return s.Tone == "ok" })
	webtest.Has(t, said.Text, "Printed at ")
	first := n.printed()
	if bytes.Count([]byte(first), []byte("XXXXXXXX7058")) != 1 || bytes.Contains([]byte(first), []byte("DUPLICATE")) {
		t.Errorf("the original is %q", first)
	}
	if s.till.prints() != 1 {
		t.Errorf("%d prints are counted", s.till.prints())
	}
	s.press(printPath, http.StatusSeeOther)
	s.until(func(Said) bool { return s.till.prints() == 2 })
	s.until(func(s Said) bool { return s.Tone == "ok" })
	if again := n.printed(); bytes.Count([]byte(again), []byte("DUPLICATE 1, 21 Nov 2026, 10:14:00")) != 2 {
		t.Errorf("the reprint is %q", again)
	}
}

// TestCustomersLanguage: the slip speaks as the customer consented.
func TestCustomersLanguage(t *testing.T) {
	n := play(t, false)
	s := serve(t, tcp(n), helper)
	s.till.set(func(v *edge.View) { v.Consent = "AEPS-TA-1" })
	s.press(printPath, http.StatusSeeOther)
	s.until(func(s Said) bool { return s.Tone == "ok" })
	if got := n.printed(); !bytes.Contains([]byte(got), []byte("\x1dv0")) || bytes.Contains([]byte(got), []byte("CASH")) {
		t.Errorf("no raster in %d bytes", len(got))
	}
}

// TestNothingOnPaper: a slip of which nothing came out is told as such, and the
// next is the original.
func TestNothingOnPaper(t *testing.T) {
	s := serve(t, Settings{Kind: printer.USB, Address: filepath.Join(t.TempDir(), "lp0")}, owner)
	s.press(printPath, http.StatusSeeOther)
	said := s.until(func(s Said) bool { return s.Tone == "bad" })
	webtest.Has(t, said.Text, "Not printed", "Check its power, cable and address")
	if s.till.prints() != 0 {
		t.Errorf("%d prints are counted", s.till.prints())
	}
	webtest.Has(t, s.Get("/printer", http.StatusOK), "Printer not found", "Check its power")
}

// TestHangs: while a printer hangs, slips are queued or refused at once, pages
// come, and another printer is set up; what waited then is told as not printed.
func TestHangs(t *testing.T) {
	n := play(t, true)
	s := serve(t, tcp(n), owner)
	for range 12 {
		s.nth++
		reply, body := s.Do(s.Form(printPath, "form", string(rune('a'+s.nth))))
		if reply.StatusCode == http.StatusConflict {
			webtest.Has(t, body, "The printer has too much to do")
			break
		}
	}
	queued := s.till.prints()
	if queued < 8 || queued > 9 {
		t.Errorf("%d slips were queued", queued)
	}
	s.until(func(s Said) bool { return s.Text == "On its way to the printer. You can go on." })
	webtest.Has(t, s.Get("/printer", http.StatusOK), "Receipt printer")
	well := play(t, false)
	s.Post("/printer", http.StatusSeeOther, "kind", "tcp", "address", well.Addr().String(), "width", "58", "code", "drawn", "baud", "9600")
	s.until(func(s Said) bool { return s.Tone == "bad" })
	s.press(printPath, http.StatusSeeOther)
	s.until(func(s Said) bool { return s.Tone == "ok" })
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
	webtest.Has(t, s.Get("/printer", http.StatusOK), "No receipt printer is set up", "Connection")
	webtest.Has(t, s.press(printPath, http.StatusConflict), "No receipt printer")
	webtest.Has(t, s.press("/printer/test", http.StatusConflict), "No receipt printer")
	for _, address := range []string{"", "two words", "\x00", "मशीन"} {
		webtest.Has(t, s.Post("/printer", http.StatusUnprocessableEntity, "kind", "tcp", "address", address), "Enter the printer&#39;s address without spaces.")
	}
	s.Post("/printer", http.StatusUnprocessableEntity, "kind", "parallel", "address", "x")
	s.full = true
	webtest.Has(t, s.Post("/printer", http.StatusInternalServerError, "kind", "tcp", "address", n.Addr().String()), "could not be saved")
	if s.room.Ready() {
		t.Error("a printer that was not kept is in use")
	}
	s.full = false
	s.Post("/printer", http.StatusSeeOther, "kind", "tcp", "address", n.Addr().String(), "width", "80")
	s.press("/printer/test", http.StatusSeeOther)
	for limit := time.Now().Add(20 * time.Second); !bytes.Contains([]byte(s.Get("/printer", http.StatusOK)), []byte("Printed at")); {
		if time.Now().After(limit) {
			t.Fatal("the test page was never printed")
		}
	}
	if got := n.printed(); !bytes.Contains([]byte(got), []byte("GALLA TEST")) {
		t.Errorf("the test page is %q", got)
	}
	webtest.Has(t, s.Get("/printer", http.StatusOK), "Printer ready", n.Addr().String(), "80 mm")
	s.Post("/printer", http.StatusSeeOther, "kind", "", "address", "left over")
	if s.room.Ready() || s.kept[len(s.kept)-1] != (Settings{}) {
		t.Errorf("a printer is left: %+v", s.kept)
	}
}

// TestOwnerOnly: who does not own the counter prints, and sets nothing up.
func TestOwnerOnly(t *testing.T) {
	n := play(t, false)
	s := serve(t, tcp(n), helper)
	page := s.Get("/printer", http.StatusOK)
	webtest.Has(t, page, "The owner of this counter sets the printer up.")
	webtest.HasNot(t, page, `name="address"`)
	s.Post("/printer", http.StatusForbidden, "kind", "tcp", "address", "192.0.2.1")
	if len(s.kept) != 0 {
		t.Error("an operator set the printer up")
	}
}

// TestNoSlip: what has no end yet, and the day's finger, have no slip.
func TestNoSlip(t *testing.T) {
	n := play(t, false)
	s := serve(t, tcp(n), helper)
	for _, alter := range []func(*edge.View){
		func(v *edge.View) { v.State = op.Accepted },
		func(v *edge.View) { v.State, v.Route = op.Succeeded, op.ReqAuth },
	} {
		s.till.set(alter)
		if to := s.press(printPath, http.StatusSeeOther); to != "/op/"+string(slipID) {
			t.Errorf("it leads to %q", to)
		}
	}
	s.press("/op/01a1fda3-6789-76b2-bddd-9b2e2a564f1b/print", http.StatusNotFound)
	s.press("/op/x/print", http.StatusNotFound)
	if s.till.prints() != 0 {
		t.Error("a slip was counted")
	}
}

// TestBrowserPrints: what the browser printed is counted too.
func TestBrowserPrints(t *testing.T) {
	s := serve(t, Settings{}, helper)
	s.press("/op/"+string(slipID)+"/printed", http.StatusSeeOther)
	said := s.until(func(s Said) bool { return s.Text != "" })
	webtest.Has(t, said.Text, "Printed once", "marked DUPLICATE")
}

// TestOthersSlips: other rooms print too, and nothing is counted.
func TestOthersSlips(t *testing.T) {
	n := play(t, false)
	s := serve(t, tcp(n), helper)
	closing := receipt.Receipt{Shop: []string{"Lakshmi Kirana Store"}, Title: "Day's end", Rows: []receipt.Row{{Label: "Opening", Value: "−₹1,200.00"}, {Label: "1 unsettled"}}}
	if err := s.room.Print("closing", closing); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if st, _, _ := s.room.state(); st.Last.Name == "closing" {
			if st.Last.Outcome != printer.Printed {
				t.Errorf("%+v", st.Last)
			}
			break
		}
		if time.Now().After(limit) {
			t.Fatal("it was never printed")
		}
	}
	if s.till.prints() != 0 || n.printed() == "" {
		t.Error("a closing was counted as an operation's slip, or not printed")
	}
	if err := serve(t, Settings{}, helper).room.Print("closing", closing); !errors.Is(err, ErrNone) {
		t.Errorf("without a printer: %v", err)
	}
}

func TestChip(t *testing.T) {
	s := serve(t, Settings{}, helper)
	webtest.HasNot(t, s.Get("/printer", http.StatusOK), `title="Check its power`)
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

// TestBrokenSettings: a counter opens whatever was kept.
func TestBrokenSettings(t *testing.T) {
	s := serve(t, Settings{Kind: "parallel", Address: "LPT1"}, owner)
	webtest.Has(t, s.Get("/printer", http.StatusOK), "No receipt printer is set up")
}
