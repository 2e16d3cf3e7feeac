package daemon

import (
	"errors"
	"io"
	"log/slog"
	"sync"

	"galla/edge/device"
	"galla/edge/queue"
	"galla/rdservice"
	"galla/shared/secret"
)

// kept is the settings that the counter itself changes: the printer's and the
// reader's. They are changed and written as one.
type kept struct {
	folder folder
	key    secret.Key
	rand   io.Reader

	mu       sync.Mutex
	settings Settings
}

func (k *kept) change(alter func(*Settings)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed := k.settings
	alter(&changed)
	if err := k.folder.save(changed, k.key, k.rand); err != nil {
		return err
	}
	k.settings = changed
	return nil
}

// Pinned implements device.Pins.
func (k *kept) Pinned() device.Pin {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.settings.Reader
}

// Keep implements device.Pins.
func (k *kept) Keep(p device.Pin) error { return k.change(func(s *Settings) { s.Reader = p }) }

// UseReader makes a reader the counter's. It needs the data folder with its keys, and
// a counter that does not run: the queue's lock sees to it.
func UseReader(data string, s rdservice.Service, info rdservice.DeviceInfo, rand io.Reader, log *slog.Logger) (p device.Pin, err error) {
	if p = device.PinOf(s, info); p.Zero() {
		return p, errors.New("this reader does not say who it is, so it can't be told from others")
	}
	f := at(data)
	settings, key, _, err := f.load(rand)
	if err != nil {
		return p, err
	}
	q, _, err := queue.Open(queue.Config{Path: f.queue(), Key: key, Rand: rand, Logger: log})
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	k := &kept{folder: f, key: key, rand: rand, settings: settings}
	return p, k.Keep(p)
}
