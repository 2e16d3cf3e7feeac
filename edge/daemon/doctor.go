package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"galla/edge/doctor"
	"galla/edge/printing/printer"
	"galla/edge/queue"
	uiprinter "galla/edge/ui/printer"
)

// healthURL is the health check's address; the pages have another host name.
func healthURL(addr string) string { return "http://" + hostPort(addr) + "/healthz" }

// Examine has the doctor examine this counter, whether it runs or not.
func Examine(ctx context.Context, cfg Config, readers doctor.Readers, rand io.Reader) (doctor.Report, error) {
	f := folderOf(cfg.Data)
	settings, _, _, err := f.load(rand)
	if errors.Is(err, ErrNotEnrolled) {
		err = nil
	}
	d, wrong := doctor.New(doctor.Config{
		Readers: readers, Folder: string(f), QueueFile: f.queue(), QueueMax: queue.DefaultMaxSize,
		Uplink: settings.Uplink, Enrolment: err, Pages: healthURL(cfg.Addr),
		Printers: []string{"/dev/usb/lp*"}, Printer: probePrinter(settings.Printer, cfg.Logger), Version: cfg.Version,
		Release: releaseInfo(cfg),
	})
	if wrong != nil {
		return doctor.Report{}, wrong
	}
	return d.Examine(ctx), nil
}

// probePrinter asks the printer of the settings how it is; nil where there is none.
// What a port answers to an attempt to open it is left out: it has addresses.
func probePrinter(s uiprinter.Settings, log *slog.Logger) func(context.Context) (prints bool, do string) {
	if s.Kind == "" {
		return nil
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return func(ctx context.Context) (bool, string) {
		p, err := printer.New(printer.Config{Kind: s.Kind, Address: s.Address, Baud: s.Baud, Logger: log})
		if err != nil {
			return false, "Set it up again on its page."
		}
		c, err := p.Probe(ctx)
		switch {
		case c == printer.Silent:
			return true, "It answers nothing, as many printers do: print its test page to be sure."
		case err != nil:
			return false, "The " + (&printer.ConditionError{Condition: c}).Error() + "."
		}
		return true, ""
	}
}
