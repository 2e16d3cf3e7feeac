package daemon

import (
	"galla/edge/queue"
	"galla/edge/users"
	"galla/shared/secret"
)

// openUsers opens the users; the agent of the settings is the first.
func openUsers(store users.Storage, s Settings, cfg Config) (*users.Service, error) {
	return users.New(store, users.Config{
		Agent: users.Agent{Name: s.Agent, PINHash: s.PINHash, Aadhaar: s.AgentAadhaar},
		Rand:  cfg.Rand, Logger: cfg.Logger,
	})
}

// SetPIN sets a new PIN of the agent who enrolled the terminal, and makes the agent
// an enabled owner, for an owner who forgot the PIN. The counter must not be
// running: the queue is locked then.
func SetPIN(cfg Config, pin secret.OTP) error {
	return withQueue(cfg, func(q *queue.Queue, own *settingsStore) error {
		operators, err := openUsers(q, own.settings, cfg)
		if err != nil {
			return err
		}
		return operators.RestoreAgent(pin)
	})
}
