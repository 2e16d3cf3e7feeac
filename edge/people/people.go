package people

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

// Store keeps the list, sealed and fsynced; edge/queue does.
type Store interface {
	Cached(name string) (value []byte, at time.Time, ok bool, err error)
	Cache(name string, value []byte, at time.Time) error
}

// storedAs is the list's name in the store.
const storedAs = "people"

// Agent is who enrolled the counter, as the settings have it.
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

// Person is an operator as an owner sees one.
type Person struct {
	edge.Operator
	Working bool   // may unlock the counter
	Aadhaar string // masked; empty: none is kept, the day's authentication can't be theirs
	Given   bool   // the PIN is one that an owner set (ErrPINGiven)
}

// People is who works at this counter. Its methods may be called from many
// goroutines.
type People struct {
	store Store
	cfg   Config
	cost  password.Cost

	// turn is held for a whole step, the slow hash included: steps and tries
	// come one after the other, and one hash at a time takes its memory.
	turn sync.Mutex

	mu       sync.Mutex // for what follows only; never held while hashing or writing
	list     []person
	browsers []browser
}

// person is an entry as it is stored, in sealed storage only.
type person struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Role     edge.Role `json:"role"`
	Language string    `json:"language,omitzero"`
	PIN      string    `json:"pin"`
	Given    bool      `json:"given,omitzero"` // the PIN was set by another, who knows it
	Aadhaar  string    `json:"aadhaar,omitzero"`
	Working  bool      `json:"working"`
	Failures int       `json:"failures,omitzero"` // of strangers; where the operator is known there are own ones (browser)
	Until    int64     `json:"until,omitzero"`    // unix milliseconds; no PIN is looked at before
}

// stored is the value in the store.
type stored struct {
	Version int      `json:"version"`
	People  []person `json:"people"`
	// Browsers are those in which operators typed their right PINs (InBrowser).
	Browsers []browser `json:"browsers,omitzero"`
}

const storedVersion = 1

// New reads the list; where there is none yet, the agent is its first entry. It
// fails where the list can't be read: then nobody could be told apart.
func New(store Store, cfg Config) (*People, error) {
	if store == nil || cfg.Rand == nil || cfg.Logger == nil || cfg.Agent.Name == "" || cfg.Agent.PINHash == "" {
		return nil, errors.New("the counter's people need a store, the agent with a PIN, randomness and a logger")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	p := &People{store: store, cfg: cfg, cost: password.Full()}
	value, _, ok, err := store.Cached(storedAs)
	if err != nil {
		return nil, fmt.Errorf("read the operators: %w", err)
	}
	if ok {
		if p.list, p.browsers, err = read(value); err != nil {
			return nil, err
		}
		return p, nil
	}
	// The agent's name was taken at the enrolment, under its own rules.
	first := person{ID: edge.AgentID, Name: cfg.Agent.Name, Role: edge.RoleOwner, PIN: cfg.Agent.PINHash, Aadhaar: cfg.Agent.Aadhaar.Reveal(), Working: true}
	return p, p.keep([]person{first})
}

// read takes a stored list; what it refuses was not written by this package.
func read(value []byte) ([]person, []browser, error) {
	var s stored
	if err := json.Unmarshal(value, &s); err != nil {
		return nil, nil, errors.New("the stored operators can't be read; call support")
	}
	if s.Version != storedVersion {
		return nil, nil, fmt.Errorf("the stored operators have version %d, this program reads %d; use the program that wrote them or a newer one", s.Version, storedVersion)
	}
	if owners(s.People) == 0 {
		return nil, nil, errors.New("the stored operators have no working owner; call support")
	}
	return s.People, current(s.People, s.Browsers), nil
}

// keep writes a list, and takes it over once it is on disk; turn is held, or
// nobody else has p yet.
func (p *People) keep(list []person) error { return p.keepAll(list, p.marks()) }

// keepAll is keep with the known browsers.
func (p *People) keepAll(list []person, browsers []browser) error {
	browsers = current(list, browsers)
	value, err := json.Marshal(stored{Version: storedVersion, People: list, Browsers: browsers}, json.Deterministic(true))
	if err == nil {
		err = p.store.Cache(storedAs, value, p.cfg.Now())
	}
	if err != nil {
		return fmt.Errorf("keep the operators: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list, p.browsers = list, browsers
	return nil
}

// snapshot gives a copy that may be changed.
func (p *People) snapshot() []person {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}

func find(list []person, id string) *person {
	if i := slices.IndexFunc(list, func(e person) bool { return e.ID == id }); i >= 0 {
		return &list[i]
	}
	return nil
}

func owners(list []person) (n int) {
	for _, e := range list {
		if e.Working && e.Role == edge.RoleOwner {
			n++
		}
	}
	return n
}

func (e *person) operator() edge.Operator {
	return edge.Operator{ID: e.ID, Name: e.Name, Role: e.Role, Language: e.Language}
}

// Working gives who may unlock the counter, in the order in which they came, and
// who of them has to wait first in the browser of the context (InBrowser).
func (p *People) Working(ctx context.Context) []edge.Operator {
	now, marks, hash := p.cfg.Now(), p.marks(), hashOf(ctx)
	var out []edge.Operator
	for _, e := range p.snapshot() {
		if e.Working {
			o := e.operator()
			o.Wait = e.tries(e.known(marks, hash)).wait(now)
			out = append(out, o)
		}
	}
	return out
}

// All gives everybody who is or was here, in the order in which they came.
func (p *People) All() []Person {
	now := p.cfg.Now()
	var out []Person
	for _, e := range p.snapshot() {
		q := Person{Operator: e.operator(), Working: e.Working, Given: e.Given}
		q.Wait = e.tries(nil).wait(now)
		if e.Aadhaar != "" {
			q.Aadhaar = secret.MaskAadhaar(e.Aadhaar)
		}
		out = append(out, q)
	}
	return out
}

// Operator gives a working operator as the list has it now; edge.ErrNotFound.
func (p *People) Operator(id string) (edge.Operator, error) {
	list := p.snapshot()
	e := find(list, id)
	if e == nil || !e.Working {
		return edge.Operator{}, fmt.Errorf("operator %q: %w", id, edge.ErrNotFound)
	}
	return e.operator(), nil
}

// Aadhaar gives a working operator's number for the day's authentication.
// edge.ErrNotFound, ErrNoAadhaar.
func (p *People) Aadhaar(id string) (secret.Aadhaar, error) {
	list := p.snapshot()
	e := find(list, id)
	switch {
	case e == nil || !e.Working:
		return secret.Aadhaar{}, fmt.Errorf("operator %q: %w", id, edge.ErrNotFound)
	case e.Aadhaar == "":
		return secret.Aadhaar{}, ErrNoAadhaar
	}
	return secret.ParseAadhaar(e.Aadhaar)
}

// NumberOf is Aadhaar with an *edge.PrecludedError where no number is kept.
func (p *People) NumberOf(id string) (secret.Aadhaar, error) {
	number, err := p.Aadhaar(id)
	if errors.Is(err, ErrNoAadhaar) {
		err = &edge.PrecludedError{Code: "number", Message: "Your Aadhaar number is not kept at this counter. An owner enters it first."}
	}
	return number, err
}

// NewPerson is what an owner says of a new operator.
type NewPerson struct {
	Name     string
	Role     edge.Role
	Language string // BCP 47; empty: not chosen
	PIN      secret.OTP
	Aadhaar  secret.Aadhaar // zero: the operator can't authenticate for the day
}

// idBytes makes operators' ids impossible to meet twice.
const idBytes = 8

// Add takes in an operator, whose PIN is as of ResetPIN. by is the owner who
// does it.
func (p *People) Add(by string, n NewPerson) (edge.Operator, error) {
	raw := make([]byte, idBytes)
	if _, err := io.ReadFull(p.cfg.Rand, raw); err != nil {
		return edge.Operator{}, fmt.Errorf("draw an operator's id: %w", err)
	}
	var out edge.Operator
	err := p.manage(by, func(list []person) ([]person, error) {
		name, err := freeName(list, n.Name, "")
		if err != nil {
			return nil, err
		}
		if err := checkRole(n.Role); err != nil {
			return nil, err
		}
		if len(list) >= maxPeople || working(list) >= MaxWorking {
			return nil, ErrTooMany
		}
		phc, err := p.newHash(n.PIN)
		if err != nil {
			return nil, err
		}
		e := person{ID: hex.EncodeToString(raw), Name: name, Role: n.Role, Language: n.Language, PIN: phc, Given: true, Aadhaar: n.Aadhaar.Reveal(), Working: true}
		out = e.operator()
		return append(list, e), nil
	})
	return out, err
}

// Rename gives an operator another name.
func (p *People) Rename(by, id, name string) error {
	return p.alter(by, id, func(list []person, e *person) (err error) {
		e.Name, err = freeName(list, name, id)
		return err
	})
}

// SetRole makes an operator an owner, or an owner an operator.
func (p *People) SetRole(by, id string, role edge.Role) error {
	return p.alter(by, id, func(_ []person, e *person) error {
		e.Role = role
		return checkRole(role)
	})
}

// SetAadhaar keeps an operator's number for the day's authentication.
func (p *People) SetAadhaar(by, id string, number secret.Aadhaar) error {
	return p.alter(by, id, func(_ []person, e *person) error {
		e.Aadhaar = number.Reveal()
		return nil
	})
}

// ResetPIN sets a PIN for an operator who forgot it or waits, and ends the wait.
// The operator chooses an own one before it opens anything (ErrPINGiven). The own
// PIN is not set like this: a page that was left open would give it away.
func (p *People) ResetPIN(by, id string, pin secret.OTP) error {
	return p.alter(by, id, func(_ []person, e *person) (err error) {
		if by == id {
			return ErrPINOwn
		}
		e.PIN, err = p.newHash(pin)
		e.Given, e.Failures, e.Until = true, 0, 0
		return err
	})
}

// PutOut ends an operator's work here. The PIN and the Aadhaar number are
// forgotten; the name stays for the records.
func (p *People) PutOut(by, id string) error {
	return p.alter(by, id, func(_ []person, e *person) error {
		e.Working, e.PIN, e.Given, e.Aadhaar, e.Failures, e.Until = false, "", false, "", 0, 0
		return nil
	})
}

// TakeIn lets an operator who was put out work again, with a PIN as of ResetPIN.
func (p *People) TakeIn(by, id string, pin secret.OTP) error {
	return p.manage(by, func(list []person) ([]person, error) {
		e := find(list, id)
		if e == nil {
			return nil, fmt.Errorf("operator %q: %w", id, edge.ErrNotFound)
		}
		if e.Working {
			return list, nil
		}
		if working(list) >= MaxWorking {
			return nil, ErrTooMany
		}
		if _, err := freeName(list, e.Name, id); err != nil {
			return nil, err
		}
		var err error
		e.PIN, err = p.newHash(pin)
		e.Given, e.Working = true, true
		return list, err
	})
}

// KeepLanguage keeps the language that an operator chose.
func (p *People) KeepLanguage(_ context.Context, id, language string) error {
	return p.step(func(list []person) ([]person, error) {
		e := find(list, id)
		if e == nil || !e.Working {
			return nil, fmt.Errorf("operator %q: %w", id, edge.ErrNotFound)
		}
		e.Language = language
		return list, nil
	})
}

// RestoreAgent sets the PIN of the agent who enrolled the counter and makes them
// a working owner again. It asks for no PIN: it is for a person at the machine
// itself, with the counter's keys.
func (p *People) RestoreAgent(pin secret.OTP) error {
	return p.step(func(list []person) ([]person, error) {
		phc, err := p.newHash(pin)
		if err != nil {
			return nil, err
		}
		e := find(list, edge.AgentID)
		if e == nil {
			return nil, fmt.Errorf("the agent who enrolled the counter: %w", edge.ErrNotFound)
		}
		e.PIN, e.Given, e.Role, e.Working, e.Failures, e.Until = phc, false, edge.RoleOwner, true, 0, 0
		e.Aadhaar = p.cfg.Agent.Aadhaar.Reveal()
		return list, nil
	})
}

// step changes a copy of the list, and keeps it if anything is different.
func (p *People) step(change func([]person) ([]person, error)) error {
	p.turn.Lock()
	defer p.turn.Unlock()
	before := p.snapshot()
	after, err := change(slices.Clone(before))
	if err != nil || slices.Equal(before, after) {
		return err
	}
	if owners(after) == 0 {
		return ErrLastOwner
	}
	return p.keep(after)
}

// manage is a step that an owner takes.
func (p *People) manage(by string, change func([]person) ([]person, error)) error {
	return p.step(func(list []person) ([]person, error) {
		if e := find(list, by); e == nil || !e.Working || e.Role != edge.RoleOwner {
			return nil, ErrNotOwner
		}
		return change(list)
	})
}

// alter is a step on one who works here.
func (p *People) alter(by, id string, change func([]person, *person) error) error {
	return p.manage(by, func(list []person) ([]person, error) {
		e := find(list, id)
		switch {
		case e == nil:
			return nil, fmt.Errorf("operator %q: %w", id, edge.ErrNotFound)
		case !e.Working:
			return nil, ErrLeft
		}
		return list, change(list, e)
	})
}

func (p *People) newHash(pin secret.OTP) (string, error) {
	if err := CheckNewPIN(pin); err != nil {
		return "", err
	}
	return password.Hash(typed(pin), p.cfg.Rand, p.cost)
}

func working(list []person) (n int) {
	for _, e := range list {
		if e.Working {
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

// freeName gives the name, cleaned, if nobody else who works here has it.
func freeName(list []person, name, own string) (string, error) {
	name, err := cleanName(name)
	if err != nil {
		return "", err
	}
	for _, e := range list {
		if e.Working && e.ID != own && strings.EqualFold(e.Name, name) {
			return "", ErrNameTaken
		}
	}
	return name, nil
}
