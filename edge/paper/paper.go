package paper

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/printer"
	"galla/edge/receipt"
	"galla/edge/typeset"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
)

//go:embed templates static messages
var files embed.FS

// Counter is what the room needs of edge.Counter. All methods may be called from
// many goroutines.
type Counter interface {
	// Operation gives an operation as it stands. edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// CountPrint counts a slip, durably, and gives the record with the count.
	CountPrint(id op.ID) (edge.Record, error)
	// UncountPrint takes the count of the slip of a number back, where it is the
	// last.
	UncountPrint(id op.ID, number int) error
}

// Settings is the printer of a counter. The zero value is none.
type Settings struct {
	Kind    printer.Kind // empty: no printer
	Address string       // device file, COM port, or host and port
	Baud    int          // of a serial port; 0 is 9600
	Narrow  bool         // paper of 58 mm; else 80 mm
	DrawQR  bool         // for printers without a command for QR codes
}

// paper is what slips are laid out for.
func (s Settings) paper() receipt.Paper {
	if s.Narrow {
		return receipt.Paper{Columns: receipt.Narrow, DrawQR: s.DrawQR}
	}
	return receipt.Paper{Columns: receipt.Wide, DrawQR: s.DrawQR}
}

// Config sets up a Room. Keep, Receipt and Logger are required.
type Config struct {
	// Settings is the printer as it was kept last.
	Settings Settings
	// Keep keeps settings over a restart; it returns when they are on the disk.
	Keep func(Settings) error
	// Receipt makes the receipt of an operation in a language.
	Receipt func(r edge.Record, say *words.Words) receipt.Receipt
	// Now is the counter's clock; default time.Now.
	Now    func() time.Time
	Logger *slog.Logger
}

// Room is the printer's room.
type Room struct {
	counter Counter
	cfg     Config
	kit     *web.Kit
	changed chan struct{} // holds one: other settings came

	giving sync.Mutex // held while a slip is made and queued, and while the printer is changed
	set    *typeset.Setter

	mu       sync.Mutex // nothing is waited for under it, since every page asks for the state
	settings Settings
	printer  *printer.Printer   // nil: none is set up
	gone     []*printer.Printer // had its place, and may hold slips that wait
	slips    slips
}

var (
	_ web.Room     = (*Room)(nil)
	_ web.Chipper  = (*Room)(nil)
	_ web.Entrance = (*Room)(nil)
	_ web.Speaker  = (*Room)(nil)
)

// New makes the room; Run makes the printer work. Settings that name no printer
// that can be are logged, and the counter has none then: it opens all the same.
func New(counter Counter, cfg Config) (*Room, error) {
	if counter == nil || cfg.Keep == nil || cfg.Receipt == nil || cfg.Logger == nil {
		return nil, errors.New("the printer's room needs a counter, a keeper of settings, receipts and a logger")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	set, err := typeset.New()
	if err != nil {
		return nil, err
	}
	r := &Room{counter: counter, cfg: cfg, set: set, changed: make(chan struct{}, 1), slips: newSlips()}
	if r.printer, err = r.open(cfg.Settings); err != nil {
		cfg.Logger.Error("the printer's settings can't be used; set it up again on its page", "error", err)
		return r, nil
	}
	r.settings = cfg.Settings
	return r, nil
}

// open makes the printer of settings, nil where they name none.
func (r *Room) open(s Settings) (*printer.Printer, error) {
	if s.Kind == "" {
		return nil, nil
	}
	return printer.New(printer.Config{Kind: s.Kind, Address: s.Address, Baud: s.Baud, OnChange: r.ring, Logger: r.cfg.Logger})
}

// ring has the pages look again.
func (r *Room) ring() {
	if r.kit != nil {
		r.kit.Ring()
	}
}

// Name implements web.Room.
func (*Room) Name() string { return "paper" }

// Files implements web.Room.
func (*Room) Files() fs.FS { return files }

// Catalogues implements web.Speaker: slips have texts of their own.
func (*Room) Catalogues() []words.Catalogue { return []words.Catalogue{receipt.Catalogue()} }

// Register implements web.Room.
func (r *Room) Register(mux *http.ServeMux, kit *web.Kit) {
	r.kit = kit
	mux.HandleFunc("GET /printer", kit.Get(r.page))
	mux.HandleFunc("POST /printer", kit.Post(kit.Confirmed(r.setUp, keptFields...)))
	mux.HandleFunc("POST /printer/test", kit.Post(r.test))
	mux.HandleFunc("POST /op/{id}/print", kit.Post(r.print))
	mux.HandleFunc("POST /op/{id}/printed", kit.Post(r.printed))
}

// keptFields are those of the settings' form.
var keptFields = []string{"kind", "address", "baud", "width", "code"}

// Entries implements web.Entrance.
func (*Room) Entries(ses *web.Session) []web.Entry {
	say := ses.Words()
	return []web.Entry{{Href: "/printer", Icon: "print", Title: say.Say("paper.title"), Hint: say.Say("paper.hint")}}
}

// Run looks after the printer, and after the next one when other settings come,
// until ctx ends.
func (r *Room) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		p, _ := r.current()
		if err := r.serve(ctx, p); err != nil {
			return err
		}
		r.end()
	}
	return nil
}

// end has the slips fail that wait for printers which are no longer used.
func (r *Room) end() {
	r.mu.Lock()
	gone := r.gone
	r.gone = nil
	r.mu.Unlock()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range gone {
		_ = p.Run(over) // it ends at once, with the context's error
	}
}

// serve runs one printer until ctx ends or other settings come.
func (r *Room) serve(ctx context.Context, p *printer.Printer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		if p == nil {
			<-ctx.Done()
			ended <- ctx.Err()
			return
		}
		ended <- p.Run(ctx)
	}()
	select {
	case <-r.changed:
		cancel()
		<-ended
		return nil
	case err := <-ended:
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("the printer's owner ended: %w", err)
	}
}

// use keeps settings and puts their printer in the place of the old one.
func (r *Room) use(s Settings) error {
	p, err := r.open(s)
	if err != nil {
		return err
	}
	if err := r.cfg.Keep(s); err != nil {
		return err
	}
	r.giving.Lock() // so that no slip is given to the old one afterwards
	r.mu.Lock()
	if r.printer != nil {
		r.gone = append(r.gone, r.printer)
	}
	r.settings, r.printer = s, p
	r.mu.Unlock()
	r.giving.Unlock()
	select {
	case r.changed <- struct{}{}:
	default: // Run has not seen the change before it yet, and takes the last
	}
	r.ring()
	return nil
}

// Ready tells whether a printer is set up.
func (r *Room) Ready() bool {
	p, _ := r.current()
	return p != nil
}

// state is the printer's, and the settings; ok is false where none is set up.
func (r *Room) state() (st printer.State, s Settings, ok bool) {
	p, s := r.current()
	if p == nil {
		return printer.State{}, s, false
	}
	return p.State(), s, true
}
