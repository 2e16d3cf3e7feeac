package daemon

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"galla/edge/reader"
	"galla/edge/ui"
	"galla/edge/ui/printer"
	"galla/shared/files"
	"galla/shared/seal"
	"galla/shared/secret"
)

// Settings is what enrolment gave the counter, and its agent.
type Settings struct {
	TerminalID string
	MerchantID string
	Merchant   string // legal name
	MID        string // the merchant at the bank network
	TID        string // the terminal at the bank network
	Uplink     string // URL of the websocket
	Audience   string // of the terminal's tokens

	Agent     string // name
	PINHash   string // argon2id, PHC text
	Latitude  string // decimal degrees
	Longitude string // decimal degrees

	AgentAadhaar secret.Aadhaar

	Printer printer.Settings // of receipts; this and what follows the counter itself changes
	Reader  reader.Identity  // which reader is the counter's; zero: none was taken yet
	Sound   ui.PaymentSound  // of payments by UPI
}

// settingsFile is Settings before sealing, with the Aadhaar number in the clear.
type settingsFile struct {
	Version int
	Settings
	AgentAadhaar string
}

const settingsVersion = 1

// ErrNotEnrolled reports that the counter has no settings yet.
var ErrNotEnrolled = errors.New("this counter is not enrolled: ask the central for an enrolment code (POST /terminals) and run 'galla-edge enrol'")

type folder string

// folderOf is the counter's folder below the data folder.
func folderOf(data string) folder { return folder(filepath.Join(data, "edge")) }

func (f folder) settings() string    { return filepath.Join(string(f), "settings.sealed") }
func (f folder) queue() string       { return filepath.Join(string(f), "queue.db") }
func (f folder) queueKey() string    { return filepath.Join(string(f), "keys", "queue.key") }
func (f folder) terminalKey() string { return filepath.Join(string(f), "keys", "terminal.key") }

// settingsContext binds the sealed settings to their file.
var settingsContext = []byte("galla/edge/settings/v1")

// load reads the settings and the keys. ErrNotEnrolled where there are none.
func (f folder) load(rand io.Reader) (Settings, secret.Key, ed25519.PrivateKey, error) {
	fail := func(err error) (Settings, secret.Key, ed25519.PrivateKey, error) {
		return Settings{}, secret.Key{}, nil, err
	}
	sealed, err := os.ReadFile(f.settings())
	if errors.Is(err, fs.ErrNotExist) {
		return fail(ErrNotEnrolled)
	}
	if err != nil {
		return fail(fmt.Errorf("read the settings: %w", err))
	}
	queueKey, err := seal.ReadKeyFile(f.queueKey())
	if err != nil {
		return fail(err)
	}
	seed, err := seal.ReadKeyFile(f.terminalKey())
	if err != nil {
		return fail(err)
	}
	box, err := seal.New(queueKey, rand)
	if err != nil {
		return fail(err)
	}
	text, err := box.Open(sealed, settingsContext)
	if err != nil {
		return fail(fmt.Errorf("settings %s: %w; enrol the counter again", f.settings(), err))
	}
	var file settingsFile
	if err := json.Unmarshal(text, &file); err != nil || file.Version != settingsVersion {
		return fail(fmt.Errorf("settings %s have version %d, this program reads %d", f.settings(), file.Version, settingsVersion))
	}
	file.Settings.AgentAadhaar, err = secret.ParseAadhaar(file.AgentAadhaar)
	if err != nil {
		return fail(fmt.Errorf("settings %s: the agent's Aadhaar number %w; enrol the counter again", f.settings(), err))
	}
	return file.Settings, queueKey, ed25519.NewKeyFromSeed(seed.Reveal()), nil
}

// save writes the settings, sealed, in one step.
func (f folder) save(s Settings, queueKey secret.Key, rand io.Reader) error {
	box, err := seal.New(queueKey, rand)
	if err != nil {
		return err
	}
	text, err := json.Marshal(settingsFile{Version: settingsVersion, Settings: s, AgentAadhaar: s.AgentAadhaar.Reveal()})
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	sealed, err := box.Seal(text, settingsContext)
	if err != nil {
		return err
	}
	if err := files.WriteAtomic(f.settings(), sealed, 0o600, os.Rename); err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	return nil
}
