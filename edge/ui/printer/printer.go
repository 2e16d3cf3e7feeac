package printer

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/printing/printer"
	"galla/edge/printing/raster"
	"galla/edge/printing/receipt"
	"galla/edge/ui"
	"galla/shared/op"
)

//go:embed templates static messages
var files embed.FS

// Counter is what the section needs of edge.Counter. Its methods are safe for concurrent
// use.
type Counter interface {
	// Operation returns an operation in its present state. Error: edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
	// CountPrint counts a slip, durably, and returns the record with the count.
	CountPrint(id op.ID) (edge.Record, error)
	// UncountPrint reverts the count of a slip if it is the last.
	UncountPrint(id op.ID, number int) error
}

// Settings describes a counter's printer. The zero value is none.
type Settings struct {
	Kind    printer.Kind // empty: no printer
	Address string       // device file, COM port, or host and port
	Baud    int          // of a serial port; 0 is 9600
	Narrow  bool         // paper of 58 mm; else 80 mm
	DrawQR  bool         // for printers without a command for QR codes
}

func (s Settings) layout() receipt.Paper {
	if s.Narrow {
		return receipt.Paper{Columns: receipt.Narrow, DrawQR: s.DrawQR}
	}
	return receipt.Paper{Columns: receipt.Wide, DrawQR: s.DrawQR}
}

// Config sets up the section. Save, Receipt and Logger are required.
type Config struct {
	// Settings are the stored settings.
	Settings Settings
	// Save stores settings; it returns when they are on disk.
	Save func(Settings) error
	// Receipt makes the receipt of an operation in a language.
	Receipt func(r edge.Record, words *i18n.Localizer) receipt.Receipt
	// Now is the counter's clock; default time.Now.
	Now    func() time.Time
	Logger *slog.Logger
}

// Pages is the section of the printer.
type Pages struct {
	counter         Counter
	cfg             Config
	kit             *ui.Kit
	settingsChanged chan struct{} // capacity one: new settings

	printMu    sync.Mutex // held while a slip is made and queued, and while the printer is replaced
	typesetter *raster.Typesetter

	mu       sync.Mutex // never held while waiting, since every page reads the state
	settings Settings
	printer  *printer.Printer             // nil: none is set up
	retired  []*printer.Printer           // former printers, with slips possibly queued
	slips    ui.Recent[string, slipState] // the last prints, by operation id or testName
}

// New makes the section; Run serves the printer. Invalid settings are logged, and the
// counter starts without a printer.
func New(counter Counter, cfg Config) (*Pages, error) {
	if counter == nil || cfg.Save == nil || cfg.Receipt == nil || cfg.Logger == nil {
		return nil, errors.New("the printer's pages need a counter, a function to save settings, receipts and a logger")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	set, err := raster.New()
	if err != nil {
		return nil, err
	}
	r := &Pages{counter: counter, cfg: cfg, typesetter: set, settingsChanged: make(chan struct{}, 1), slips: ui.NewRecent[string, slipState](maxSlips)}
	if r.printer, err = r.open(cfg.Settings); err != nil {
		cfg.Logger.Error("the printer's settings can't be used; set it up again on its page", "error", err)
		return r, nil
	}
	r.settings = cfg.Settings
	return r, nil
}

// open makes the printer of settings; nil for none.
func (r *Pages) open(s Settings) (*printer.Printer, error) {
	if s.Kind == "" {
		return nil, nil
	}
	return printer.New(printer.Config{Kind: s.Kind, Address: s.Address, Baud: s.Baud, OnChange: r.notify, Logger: r.cfg.Logger})
}

func (r *Pages) notify() {
	if r.kit != nil {
		r.kit.Notify()
	}
}

// Contents implements ui.Section, with the texts of slips.
func (r *Pages) Contents(kit *ui.Kit) ui.Contents {
	r.kit = kit
	return ui.Contents{
		Name: "printer", Files: files, Catalogues: []i18n.Catalogue{receipt.Catalogue()}, Chips: r.chips,
		Menu: []ui.MenuItem{{Href: "/printer", Icon: "print", Title: "printer.title", Hint: "printer.hint"}},
		Pages: map[string]ui.Handler{
			"GET /printer":          r.showSettings,
			"POST /printer":         kit.OwnerConfirmed(r.saveSettings, "kind", "address", "baud", "width", "code"),
			"POST /printer/test":    r.printTest,
			"POST /op/{id}/print":   r.printSlip,
			"POST /op/{id}/printed": r.countBrowserPrint,
		},
	}
}

// Run serves the printer, and its successors after changes of the settings, until ctx
// ends.
func (r *Pages) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		p, _ := r.current()
		if err := r.runPrinter(ctx, p); err != nil {
			return err
		}
		r.stopRetired()
	}
	return nil
}

// stopRetired fails the slips queued for former printers.
func (r *Pages) stopRetired() {
	r.mu.Lock()
	gone := r.retired
	r.retired = nil
	r.mu.Unlock()
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range gone {
		_ = p.Run(over) // it ends at once, with the context's error
	}
}

// runPrinter serves one printer until ctx ends or the settings change.
func (r *Pages) runPrinter(ctx context.Context, p *printer.Printer) error {
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
	case <-r.settingsChanged:
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

// applySettings stores settings and replaces the printer.
func (r *Pages) applySettings(s Settings) error {
	p, err := r.open(s)
	if err != nil {
		return err
	}
	if err := r.cfg.Save(s); err != nil {
		return err
	}
	r.printMu.Lock() // so that no later slip is queued at the old printer
	r.mu.Lock()
	if r.printer != nil {
		r.retired = append(r.retired, r.printer)
	}
	r.settings, r.printer = s, p
	r.mu.Unlock()
	r.printMu.Unlock()
	select {
	case r.settingsChanged <- struct{}{}:
	default: // Run has not yet seen the previous change, and will use the last
	}
	r.notify()
	return nil
}

// Ready reports whether a printer is set up.
func (r *Pages) Ready() bool {
	p, _ := r.current()
	return p != nil
}

// state returns the printer's state and settings; ok is false where none is set up.
func (r *Pages) state() (st printer.State, s Settings, ok bool) {
	p, s := r.current()
	if p == nil {
		return printer.State{}, s, false
	}
	return p.State(), s, true
}
