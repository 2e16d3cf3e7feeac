package daemon

import (
	"errors"
	"io"
	"log/slog"
	"path/filepath"

	"galla/edge"
	"galla/edge/people"
	"galla/edge/queue"
	"galla/shared/secret"
)

// standing is the counter with the people who stand at it, as the pages need
// both.
type standing struct {
	*edge.Counter
	*people.People
}

// openPeople reads who works at the counter; the agent of the settings is the
// first.
func openPeople(store people.Store, s Settings, cfg Config) (*people.People, error) {
	return people.New(store, people.Config{
		Agent: people.Agent{Name: s.Agent, PINHash: s.PINHash, Aadhaar: s.AgentAadhaar},
		Rand:  cfg.Rand, Logger: cfg.Logger,
	})
}

// SetPIN gives the agent who enrolled the counter a new PIN, and makes them a
// working owner again: for an owner who forgot the PIN. It needs the data folder
// with its keys, and a counter that does not run: the queue's lock sees to it.
func SetPIN(data string, pin secret.OTP, rand io.Reader, log *slog.Logger) (err error) {
	f := folder(filepath.Join(data, "edge"))
	settings, key, _, err := f.load(rand)
	if err != nil {
		return err
	}
	q, _, err := queue.Open(queue.Config{Path: f.queue(), Key: key, Rand: rand, Logger: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	crew, err := openPeople(q, settings, Config{Rand: rand, Logger: log})
	if err != nil {
		return err
	}
	return crew.RestoreAgent(pin)
}
