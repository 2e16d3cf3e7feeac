package daemon

import (
	"errors"
	"io"
	"sync"

	"galla/edge/queue"
	"galla/edge/reader"
	"galla/edge/ui"
	"galla/rdservice"
	"galla/shared/secret"
)

// settingsStore is the settings that the counter itself changes: the printer's, the
// reader's and the sound's. They are changed and written as one.
type settingsStore struct {
	folder folder
	key    secret.Key
	rand   io.Reader

	mu       sync.Mutex
	settings Settings
}

func (k *settingsStore) change(alter func(*Settings)) error {
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

// Assigned implements reader.IdentityStore.
func (k *settingsStore) Assigned() reader.Identity {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.settings.Reader
}

// Assign implements reader.IdentityStore.
func (k *settingsStore) Assign(p reader.Identity) error {
	return k.change(func(s *Settings) { s.Reader = p })
}

// PaymentSound implements ui.SoundStore.
func (k *settingsStore) PaymentSound() ui.PaymentSound {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.settings.Sound
}

// SetPaymentSound implements ui.SoundStore.
func (k *settingsStore) SetPaymentSound(sound ui.PaymentSound) error {
	return k.change(func(s *Settings) { s.Sound = sound })
}

// UseReader makes a reader the counter's. It needs the data folder with its keys, and
// a counter that does not run: the queue's lock sees to it.
func UseReader(cfg Config, s rdservice.Service, info rdservice.DeviceInfo) (p reader.Identity, err error) {
	if p = reader.IdentityOf(s, info); p.IsZero() {
		return p, errors.New("this reader has no identity, so it can't be distinguished from others")
	}
	return p, withQueue(cfg, func(_ *queue.Queue, own *settingsStore) error { return own.Assign(p) })
}

// withQueue opens the queue and the settings of a counter that does not run
// (queue.ErrLocked), calls do, and closes the queue.
func withQueue(cfg Config, do func(q *queue.Queue, own *settingsStore) error) error {
	f := folderOf(cfg.Data)
	settings, key, _, err := f.load(cfg.Rand)
	if err != nil {
		return err
	}
	q, _, err := queue.Open(cfg.queue(key))
	if err != nil {
		return err
	}
	return errors.Join(do(q, &settingsStore{folder: f, key: key, rand: cfg.Rand, settings: settings}), q.Close())
}
