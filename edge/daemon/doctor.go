package daemon

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"galla/edge/doctor"
	"galla/edge/queue"
)

// Examine has the doctor examine this counter, whether it runs or not.
func Examine(ctx context.Context, cfg Config, readers doctor.Readers, rand io.Reader) (doctor.Report, error) {
	f := folder(filepath.Join(cfg.Data, "edge"))
	settings, _, _, err := f.load(rand)
	if errors.Is(err, ErrNotEnrolled) {
		err = nil
	}
	d, wrong := doctor.New(doctor.Config{
		Readers: readers, Folder: string(f), QueueFile: f.queue(), QueueMax: queue.DefaultMaxSize,
		Uplink: settings.Uplink, Enrolment: err, Pages: cfg.Addr,
		Printers: []string{"/dev/usb/lp*"}, Version: cfg.Version,
	})
	if wrong != nil {
		return doctor.Report{}, wrong
	}
	return d.Examine(ctx), nil
}
