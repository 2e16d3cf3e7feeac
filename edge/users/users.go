package users

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/shared/password"
	"galla/shared/secret"
)

// Storage stores the list, sealed and fsynced; edge/queue implements it.
type Storage interface {
	GetCache(name string) (value []byte, at time.Time, ok bool, err error)
	PutCache(name string, value []byte, at time.Time) error
}

// storageKey is the list's name in the store.
const storageKey = "users"

// Agent is the user who enrolled the terminal, from the settings.
type Agent struct {
	Name    string
	PINHash string // of HashPIN
	Aadhaar secret.Aadhaar
}

// Config sets up People. Agent, Rand and Logger are required.
type Config struct {
	Agent  Agent // becomes the owner at first start; later the list counts
	Now    func() time.Time
	Rand   io.Reader // salts and ids
	Logger *slog.Logger
}

// User is a user as owners see it.
type User struct {
	edge.User
	Enabled       bool   // may unlock the counter
	Aadhaar       string // masked; empty: none is stored, so the user can't authenticate for the day
	MustChangePIN bool   // the PIN is one that an owner set (ErrPINGiven)
}

// Service manages the users. Its methods are safe for concurrent use.
type Service struct {
	store Storage
	cfg   Config
	cost  password.Cost

	// stepMu is held for a whole change, including the slow hash: changes and
	// attempts run one after the other, and one hash at a time uses its memory.
	stepMu sync.Mutex

	mu       sync.Mutex // of the fields below; never held while hashing or writing
	list     []account
	browsers []browser
}

// account is an entry as it is stored, in sealed storage only.
type account struct {
	ID            string    `json:"id"`
	Name          string    `json:"name"`
	Role          edge.Role `json:"role"`
	Language      string    `json:"language,omitzero"`
	PIN           string    `json:"pin"`
	MustChangePIN bool      `json:"given,omitzero"` // an owner set the PIN and so knows it
	Aadhaar       string    `json:"aadhaar,omitzero"`
	Enabled       bool      `json:"working"`
	Failures      int       `json:"failures,omitzero"` // in unknown browsers; known ones have their own count
	Until         int64     `json:"until,omitzero"`    // unix milliseconds; every PIN is refused before
}

// storedList is the value in the store.
type storedList struct {
	Version  int       `json:"version"`
	Accounts []account `json:"users"`
	// Browsers are those in which users entered their right PINs (WithBrowser).
	Browsers []browser `json:"browsers,omitzero"`
}

const storedVersion = 1

// New reads the list; where there is none, it creates one with the agent. It fails
// where the list can't be read.
func New(store Storage, cfg Config) (*Service, error) {
	if store == nil || cfg.Rand == nil || cfg.Logger == nil || cfg.Agent.Name == "" || cfg.Agent.PINHash == "" {
		return nil, errors.New("users need a store, the agent with a PIN, randomness and a logger")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	p := &Service{store: store, cfg: cfg, cost: password.DefaultCost()}
	value, _, ok, err := store.GetCache(storageKey)
	if err != nil {
		return nil, fmt.Errorf("read the users: %w", err)
	}
	if ok {
		if p.list, p.browsers, err = parse(value); err != nil {
			return nil, err
		}
		return p, nil
	}
	// The agent's name was taken at the enrolment, under its own rules.
	first := account{ID: edge.AgentID, Name: cfg.Agent.Name, Role: edge.RoleOwner, PIN: cfg.Agent.PINHash, Aadhaar: cfg.Agent.Aadhaar.Reveal(), Enabled: true}
	return p, p.save([]account{first})
}

// parse takes a stored list; what it refuses was not written by this package.
func parse(value []byte) ([]account, []browser, error) {
	var s storedList
	if err := json.Unmarshal(value, &s); err != nil {
		return nil, nil, errors.New("the stored users can't be read; call support")
	}
	if s.Version != storedVersion {
		return nil, nil, fmt.Errorf("the stored users have version %d, this program reads %d; use the program that wrote them or a newer one", s.Version, storedVersion)
	}
	if !hasOwner(s.Accounts) {
		return nil, nil, errors.New("the stored users have no enabled owner; call support")
	}
	return s.Accounts, withoutStale(s.Accounts, s.Browsers), nil
}

// save writes a list, and uses it once it is on disk. The caller holds stepMu, or
// is New.
func (p *Service) save(list []account) error { return p.saveAll(list, p.knownBrowsers()) }

// saveAll is save with the known browsers.
func (p *Service) saveAll(list []account, browsers []browser) error {
	browsers = withoutStale(list, browsers)
	value, err := json.Marshal(storedList{Version: storedVersion, Accounts: list, Browsers: browsers}, json.Deterministic(true))
	if err == nil {
		err = p.store.PutCache(storageKey, value, p.cfg.Now())
	}
	if err != nil {
		return fmt.Errorf("store the users: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list, p.browsers = list, browsers
	return nil
}

// snapshot returns a copy of the list.
func (p *Service) snapshot() []account {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}

func find(list []account, id string) *account {
	if i := slices.IndexFunc(list, func(e account) bool { return e.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

// findEnabled returns an enabled user, or edge.ErrNotFound.
func findEnabled(list []account, id string) (*account, error) {
	if e := find(list, id); e != nil && e.Enabled {
		return e, nil
	}
	return nil, fmt.Errorf("user %q: %w", id, edge.ErrNotFound)
}

func hasOwner(list []account) bool {
	return slices.ContainsFunc(list, func(e account) bool { return e.Enabled && e.Role == edge.RoleOwner })
}

func (e *account) user() edge.User {
	return edge.User{ID: e.ID, Name: e.Name, Role: e.Role, Language: e.Language}
}

// EnabledUsers returns who may unlock the counter, in the order of creation, and
// how long each has to wait in the browser of the context (WithBrowser).
func (p *Service) EnabledUsers(ctx context.Context) []edge.User {
	now, marks, hash := p.cfg.Now(), p.knownBrowsers(), browserHash(ctx)
	var out []edge.User
	for _, e := range p.snapshot() {
		if e.Enabled {
			o := e.user()
			o.Wait = e.attemptsIn(e.knownBrowser(marks, hash)).wait(now)
			out = append(out, o)
		}
	}
	return out
}

// All returns all users, also disabled ones, in the order of creation.
func (p *Service) All() []User {
	now := p.cfg.Now()
	var out []User
	for _, e := range p.snapshot() {
		q := User{User: e.user(), Enabled: e.Enabled, MustChangePIN: e.MustChangePIN}
		q.Wait = e.attemptsIn(nil).wait(now)
		if e.Aadhaar != "" {
			q.Aadhaar = secret.MaskAadhaar(e.Aadhaar)
		}
		out = append(out, q)
	}
	return out
}

// User returns an enabled user, or edge.ErrNotFound.
func (p *Service) User(id string) (edge.User, error) {
	e, err := findEnabled(p.snapshot(), id)
	if err != nil {
		return edge.User{}, err
	}
	return e.user(), nil
}

// AadhaarOf returns an enabled user's number for the day's authentication. It fails
// with edge.ErrNotFound, or with *edge.PreconditionError where no number is stored.
func (p *Service) AadhaarOf(id string) (secret.Aadhaar, error) {
	e, err := findEnabled(p.snapshot(), id)
	if err != nil {
		return secret.Aadhaar{}, err
	}
	if e.Aadhaar == "" {
		return secret.Aadhaar{}, &edge.PreconditionError{Code: edge.PreconditionNumber}
	}
	return secret.ParseAadhaar(e.Aadhaar)
}

// NewUser describes a new user.
type NewUser struct {
	Name     string
	Role     edge.Role
	Language string // BCP 47; empty: not chosen
	PIN      secret.OTP
	Aadhaar  secret.Aadhaar // zero: the user can't authenticate for the day
}

// idBytes is the length of a random user id.
const idBytes = 8

// Add adds a user, whose PIN is as after ResetPIN. by is the owner who does it.
func (p *Service) Add(by string, n NewUser) (edge.User, error) {
	raw := make([]byte, idBytes)
	if _, err := io.ReadFull(p.cfg.Rand, raw); err != nil {
		return edge.User{}, fmt.Errorf("create a user id: %w", err)
	}
	var out edge.User
	err := p.changeByOwner(by, func(list []account) ([]account, error) {
		name, err := freeName(list, n.Name, "")
		if err != nil {
			return nil, err
		}
		if err := checkRole(n.Role); err != nil {
			return nil, err
		}
		if len(list) >= maxUsers || countEnabled(list) >= MaxEnabled {
			return nil, ErrTooManyUsers
		}
		phc, err := p.hashNewPIN(n.PIN)
		if err != nil {
			return nil, err
		}
		e := account{ID: hex.EncodeToString(raw), Name: name, Role: n.Role, Language: n.Language, PIN: phc, MustChangePIN: true, Aadhaar: n.Aadhaar.Reveal(), Enabled: true}
		out = e.user()
		return append(list, e), nil
	})
	return out, err
}

// Rename changes a user's name.
func (p *Service) Rename(by, id, name string) error {
	return p.changeUser(by, id, func(list []account, e *account) (err error) {
		e.Name, err = freeName(list, name, id)
		return err
	})
}

// SetRole changes a user's role.
func (p *Service) SetRole(by, id string, role edge.Role) error {
	return p.changeUser(by, id, func(_ []account, e *account) error {
		e.Role = role
		return checkRole(role)
	})
}

// SetAadhaar stores a user's number for the day's authentication.
func (p *Service) SetAadhaar(by, id string, number secret.Aadhaar) error {
	return p.changeUser(by, id, func(_ []account, e *account) error {
		e.Aadhaar = number.Reveal()
		return nil
	})
}

// ResetPIN sets a PIN for a user who forgot it or has to wait, and ends the wait.
// The user has to change it first (ErrPINMustChange). Owners can't reset their own
// PIN, since an open page would then be enough to take it over.
func (p *Service) ResetPIN(by, id string, pin secret.OTP) error {
	return p.changeUser(by, id, func(_ []account, e *account) (err error) {
		if by == id {
			return ErrOwnPIN
		}
		e.PIN, err = p.hashNewPIN(pin)
		e.MustChangePIN, e.Failures, e.Until = true, 0, 0
		return err
	})
}

// Disable disables a user. The PIN and the Aadhaar number are deleted; the name
// stays for the records.
func (p *Service) Disable(by, id string) error {
	return p.changeUser(by, id, func(_ []account, e *account) error {
		e.Enabled, e.PIN, e.MustChangePIN, e.Aadhaar, e.Failures, e.Until = false, "", false, "", 0, 0
		return nil
	})
}

// Enable enables a disabled user, with a PIN as after ResetPIN.
func (p *Service) Enable(by, id string, pin secret.OTP) error {
	return p.changeByOwner(by, func(list []account) ([]account, error) {
		e := find(list, id)
		if e == nil {
			return nil, fmt.Errorf("user %q: %w", id, edge.ErrNotFound)
		}
		if e.Enabled {
			return list, nil
		}
		if countEnabled(list) >= MaxEnabled {
			return nil, ErrTooManyUsers
		}
		if _, err := freeName(list, e.Name, id); err != nil {
			return nil, err
		}
		var err error
		e.PIN, err = p.hashNewPIN(pin)
		e.MustChangePIN, e.Enabled = true, true
		return list, err
	})
}

// SetLanguage stores the language that a user chose.
func (p *Service) SetLanguage(_ context.Context, id, language string) error {
	return p.change(func(list []account) ([]account, error) {
		e, err := findEnabled(list, id)
		if err == nil {
			e.Language = language
		}
		return list, err
	})
}

// RestoreAgent sets the PIN of the agent who enrolled the terminal and makes the
// agent an enabled owner. It asks for no PIN: it is for a person at the machine
// itself, with the counter's keys.
func (p *Service) RestoreAgent(pin secret.OTP) error {
	return p.change(func(list []account) ([]account, error) {
		phc, err := p.hashNewPIN(pin)
		if err != nil {
			return nil, err
		}
		e := find(list, edge.AgentID)
		if e == nil {
			return nil, fmt.Errorf("the agent who enrolled the terminal: %w", edge.ErrNotFound)
		}
		e.PIN, e.MustChangePIN, e.Role, e.Enabled, e.Failures, e.Until = phc, false, edge.RoleOwner, true, 0, 0
		e.Aadhaar = p.cfg.Agent.Aadhaar.Reveal()
		return list, nil
	})
}

// change changes a copy of the list, and stores it if anything differs.
func (p *Service) change(change func([]account) ([]account, error)) error {
	p.stepMu.Lock()
	defer p.stepMu.Unlock()
	before := p.snapshot()
	after, err := change(slices.Clone(before))
	if err != nil || slices.Equal(before, after) {
		return err
	}
	if !hasOwner(after) {
		return ErrLastOwner
	}
	return p.save(after)
}

// changeByOwner is a step that an owner takes.
func (p *Service) changeByOwner(by string, change func([]account) ([]account, error)) error {
	return p.change(func(list []account) ([]account, error) {
		if e := find(list, by); e == nil || !e.Enabled || e.Role != edge.RoleOwner {
			return nil, ErrNotOwner
		}
		return change(list)
	})
}

// changeUser changes one enabled user.
func (p *Service) changeUser(by, id string, change func([]account, *account) error) error {
	return p.changeByOwner(by, func(list []account) ([]account, error) {
		e := find(list, id)
		switch {
		case e == nil:
			return nil, fmt.Errorf("user %q: %w", id, edge.ErrNotFound)
		case !e.Enabled:
			return nil, ErrDisabled
		}
		return list, change(list, e)
	})
}

func (p *Service) hashNewPIN(pin secret.OTP) (string, error) {
	if err := CheckNewPIN(pin); err != nil {
		return "", err
	}
	return password.Hash(asToken(pin), p.cfg.Rand, p.cost)
}

func countEnabled(list []account) (n int) {
	for _, e := range list {
		if e.Enabled {
			n++
		}
	}
	return n
}

func checkRole(r edge.Role) error {
	if r != edge.RoleOwner && r != edge.RoleOperator {
		return ErrRole
	}
	return nil
}

// freeName returns the name, cleaned, if no other enabled user has it.
func freeName(list []account, name, own string) (string, error) {
	name, err := cleanName(name)
	if err != nil {
		return "", err
	}
	for _, e := range list {
		if e.Enabled && e.ID != own && strings.EqualFold(e.Name, name) {
			return "", ErrNameTaken
		}
	}
	return name, nil
}
