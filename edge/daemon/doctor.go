package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"galla/edge/doctor"
	"galla/edge/paper"
	"galla/edge/printer"
	"galla/edge/queue"
)

// pagesOf is where the program says that it lives; its pages are under another name.
func pagesOf(cfg Config) string { return "http://" + hostPort(cfg.Addr) + "/healthz" }

// Examine has the doctor examine this counter, whether it runs or not.
func Examine(ctx context.Context, cfg Config, readers doctor.Readers, rand io.Reader) (doctor.Report, error) {
	f := at(cfg.Data)
	settings, _, _, err := f.load(rand)
	if errors.Is(err, ErrNotEnrolled) {
		err = nil
	}
	d, wrong := doctor.New(doctor.Config{
		Readers: readers, Folder: string(f), QueueFile: f.queue(), QueueMax: queue.DefaultMaxSize,
		Uplink: settings.Uplink, Enrolment: err, Pages: pagesOf(cfg),
		Printers: []string{"/dev/usb/lp*"}, Printer: lookAt(settings.Printer, cfg.Logger), Version: cfg.Version,
		Release: releasesOf(cfg),
	})
	if wrong != nil {
		return doctor.Report{}, wrong
	}
	return d.Examine(ctx), nil
}

// lookAt asks the printer of the settings how it is; nil where there is none.
// What a port answers to an attempt to open it is left out: it has addresses.
func lookAt(s paper.Settings, log *slog.Logger) func(context.Context) (prints bool, do string) {
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
		c, err := p.Look(ctx)
		switch {
		case c == printer.Silent:
			return true, "It answers nothing, as many printers do: print its test page to be sure."
		case err != nil:
			return false, "The " + (&printer.Trouble{Condition: c}).Error() + "."
		}
		return true, ""
	}
}
