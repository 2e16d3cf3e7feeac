package operator

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"galla/central"
	"galla/central/duty"
	"galla/shared/password"
	"galla/shared/secret"
)

// How long things last.
const (
	// Idle is how long a session lasts without a touch: a desk that was left.
	Idle = 15 * time.Minute
	// Longest is how long a session lasts: a working day.
	Longest = 10 * time.Hour
	// touchEvery is how seldom a touch is written: often enough for Idle.
	touchEvery = time.Minute
	// SetupLife is how long a set-up code can be used.
	SetupLife = 24 * time.Hour
)

// Rates of tries, over all nodes: of one address, and of everybody together. A
// person tries a few times; a hash takes a tenth of a second of a core.
var (
	addressRate = duty.Rate{PerSecond: 0.2, Burst: 20}
	houseRate   = duty.Rate{PerSecond: 3, Burst: 60}
	// searchRate is of one person's searches: as fast as somebody types with a
	// customer on the telephone, and far too slow for a list of numbers.
	searchRate = duty.Rate{PerSecond: 0.25, Burst: 60}
)

// maxHashes bounds the hashes that are made at one time: each takes 64 MiB.
const maxHashes = 2

// Config sets up a Desk.
type Config struct {
	Rand   io.Reader
	Logger *slog.Logger
	// Cost of new hashes; the zero value is password.Full.
	Cost password.Cost
}

// Desk is who may use the console. Its methods may be called from many
// goroutines.
type Desk struct {
	*Journal
	store  Store
	safe   *Safe
	cfg    Config
	dummy  func() (nobodys, error) // made when it is needed
	proofs proofs
	hashes chan struct{}
	counts counts
}

// proofs are how both proofs of a sign-in are looked at: the same for a name that
// somebody has and for one that nobody has.
type proofs struct {
	password func(stored string, typed secret.Token) (bool, error)
	code     func(f Factor, typed secret.OTP, now time.Time, used int64) (int64, error)
}

// nobodys is what nobody signs in with.
type nobodys struct {
	hash   string
	factor Factor
}

// counts are this node's sign-ins.
type counts struct{ opened, refused, waiting atomic.Int64 }

// SignIns are how many sign-ins this node has judged since its start.
type SignIns struct {
	Opened  int64
	Refused int64 // something was wrong
	Waiting int64 // not looked at, after wrong tries or too many of them
}

// SignIns gives them, for metrics.
func (d *Desk) SignIns() SignIns {
	return SignIns{d.counts.opened.Load(), d.counts.refused.Load(), d.counts.waiting.Load()}
}

// New makes the desk.
func New(store Store, safe *Safe, cfg Config) (*Desk, error) {
	if store == nil || safe == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("the operators need a database, a safe, randomness and a logger")
	}
	if cfg.Cost == (password.Cost{}) {
		cfg.Cost = password.Full()
	}
	journal, err := NewJournal(store, cfg.Rand)
	if err != nil {
		return nil, err
	}
	d := &Desk{Journal: journal, store: store, safe: safe, cfg: cfg, proofs: proofs{password.Verify, Factor.step}, hashes: make(chan struct{}, maxHashes)}
	d.dummy = sync.OnceValues(func() (nobodys, error) {
		unknown, err := d.token()
		if err != nil {
			return nobodys{}, err
		}
		hash, err := password.Hash(unknown, cfg.Rand, cfg.Cost)
		if err != nil {
			return nobodys{}, err
		}
		f, err := newFactor("", cfg.Rand)
		return nobodys{hash, f}, err
	})
	return d, nil
}

// tokenBytes is 256 bits.
const tokenBytes = 32

func (d *Desk) token() (secret.Token, error) {
	raw := make([]byte, tokenBytes)
	if _, err := io.ReadFull(d.cfg.Rand, raw); err != nil {
		return secret.Token{}, fmt.Errorf("draw a token: %w", err)
	}
	return secret.NewToken(base64.RawURLEncoding.EncodeToString(raw)), nil
}

// hashOf names a token in the database.
func hashOf(use string, token secret.Token) [32]byte {
	return sha256.Sum256([]byte("galla/console/" + use + "/v1\n" + token.Reveal()))
}

// SignedIn is a session as the console knows it.
type SignedIn struct {
	Person
	Session
	Token secret.Token // for the browser's cookie
}

// Actor gives who acts in a session.
func (s SignedIn) Actor() Actor { return Actor{Login: s.Person.Login, Role: s.Role, From: s.From} }

// admit counts a try against the rates of its address and of the house.
func (d *Desk) admit(ctx context.Context, from string) error {
	for _, r := range []struct {
		name string
		rate duty.Rate
	}{{"console:" + network(from), addressRate}, {"console", houseRate}} {
		given, wait, err := d.store.LeaseRate(ctx, r.name, r.rate, 1, time.Now())
		if err != nil {
			return err
		}
		if given == 0 {
			return &WaitError{max(wait, time.Second)}
		}
	}
	return nil
}

// Searches counts a search of somebody's, over all nodes. *WaitError.
func (d *Desk) Searches(ctx context.Context, login string) error {
	given, wait, err := d.store.LeaseRate(ctx, "console-search:"+login, searchRate, 1, time.Now())
	if err == nil && given == 0 {
		err = &WaitError{max(wait, time.Second)}
	}
	return err
}

// matches compares a password with a stored hash, few at a time; with an empty
// one it does the work and says no.
func (d *Desk) matches(ctx context.Context, stored string, typed secret.Token) (bool, error) {
	select {
	case d.hashes <- struct{}{}:
		defer func() { <-d.hashes }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if len(typed.Reveal()) > maxPassword {
		typed = secret.NewToken("")
	}
	if stored == "" {
		no, err := d.dummy()
		if err == nil {
			_, err = d.proofs.password(no.hash, typed)
		}
		return false, err
	}
	return d.proofs.password(stored, typed)
}

// SignIn opens a session. *WaitError, ErrWrong. A name that nobody has costs the
// same work, and is kept waiting in the same way.
func (d *Desk) SignIn(ctx context.Context, name string, typed secret.Token, code secret.OTP, from string) (SignedIn, error) {
	return d.SignInMarked(ctx, name, typed, code, from, secret.Token{})
}

// SignInMarked is SignIn from a browser with a mark (Mark); an empty one is none.
func (d *Desk) SignInMarked(ctx context.Context, name string, typed secret.Token, code secret.OTP, from string, mark secret.Token) (SignedIn, error) {
	in, err := d.signIn(ctx, name, typed, code, from, mark)
	var wait *WaitError
	switch {
	case err == nil:
		d.counts.opened.Add(1)
	case errors.As(err, &wait):
		d.counts.waiting.Add(1)
	case errors.Is(err, ErrWrong):
		d.counts.refused.Add(1)
	}
	return in, err
}

func (d *Desk) signIn(ctx context.Context, name string, typed secret.Token, code secret.OTP, from string, mark secret.Token) (SignedIn, error) {
	counted, marked := "", false
	if login, err := ParseLogin(name); err == nil {
		counted, marked = d.counted(login, mark)
	}
	// Tries with a mark have a count of their own, and it bounds them.
	if !marked {
		if err := d.admit(ctx, from); err != nil {
			return SignedIn{}, err
		}
	}
	// The first try makes it, whoever it is of: an unknown name takes no longer.
	if _, err := d.dummy(); err != nil {
		return SignedIn{}, err
	}
	name, err := ParseLogin(name)
	if err != nil {
		return SignedIn{}, errors.Join(ErrWrong, d.refused(ctx, "", from, "no login"))
	}
	r, err := d.store.Operator(ctx, name)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return SignedIn{}, err
	}
	known := ""
	if err == nil {
		known = name
	}
	wait, err := d.store.TryOperator(ctx, counted, time.Now(), password.Wait)
	if err != nil {
		return SignedIn{}, err
	}
	if wait > 0 {
		return SignedIn{}, errors.Join(&WaitError{wait}, d.refused(ctx, known, from, "has to wait after wrong tries"))
	}
	step, err := d.judge(ctx, r, typed, code)
	if err != nil {
		return SignedIn{}, err
	}
	if step == 0 {
		return SignedIn{}, errors.Join(ErrWrong, d.refused(ctx, known, from, ""))
	}
	s, err := d.open(Actor{name, r.Role, from}, func(s Session) error {
		s.Tried = counted
		e, err := d.entry(Actor{name, r.Role, from}, ActSignIn, name, Done)
		if err != nil {
			return err
		}
		return d.store.OpenOperatorSession(ctx, r, step, s, e)
	})
	if errors.Is(err, central.ErrState) {
		return SignedIn{}, errors.Join(ErrWrong, d.refused(ctx, known, from, "the code was used, or the person was changed meanwhile"))
	}
	s.Person = r.Person
	return s, err
}

// judge looks at both proofs, whatever the first one says, and gives the step of
// the second factor; 0: something is wrong.
func (d *Desk) judge(ctx context.Context, r Record, typed secret.Token, code secret.OTP) (int64, error) {
	stored := r.Password
	if !r.DisabledAt.IsZero() || r.Sealed == nil {
		stored = ""
	}
	right, err := d.matches(ctx, stored, typed)
	if err != nil {
		return 0, fmt.Errorf("look at a password: %w", err)
	}
	if stored == "" {
		no, err := d.dummy()
		if err == nil {
			_, err = d.proofs.code(no.factor, code, time.Now(), 0)
		}
		return 0, err
	}
	f, err := d.factor(r)
	if err != nil {
		return 0, err
	}
	step, err := d.proofs.code(f, code, time.Now(), r.Step)
	if err != nil || !right {
		return 0, err
	}
	return step, nil
}

func (d *Desk) factor(r Record) (Factor, error) {
	raw, err := d.safe.open(r.Sealed, factorPlace, r.Login)
	if err != nil {
		return Factor{}, fmt.Errorf("the second factor of %s: %w", r.Login, err)
	}
	return Factor{r.Login, secret.NewKey(raw)}, nil
}

// refused writes a refused sign-in into the trail.
func (d *Desk) refused(ctx context.Context, login, from, why string) error {
	e, err := d.entry(Actor{Login: login, From: from}, ActSignIn, login, Refused)
	if err != nil {
		return err
	}
	e.Note = why
	if login == "" {
		// What was typed may be a password in the wrong field.
		e.Note = strings.TrimSpace("a name that nobody has " + why)
	}
	return d.store.NoteTrail(ctx, e)
}

// open makes a session and has it written.
func (d *Desk) open(by Actor, write func(Session) error) (SignedIn, error) {
	token, err := d.token()
	if err != nil {
		return SignedIn{}, err
	}
	now := time.Now()
	s := Session{Hash: hashOf("session", token), Login: by.Login, From: clip(by.From, maxSubject), OpenedAt: now, SeenAt: now}
	return SignedIn{Session: s, Token: token}, write(s)
}

// Session gives who is signed in by a token, and touches the session where
// somebody did something. ErrNoSession.
func (d *Desk) Session(ctx context.Context, token secret.Token, touch bool) (SignedIn, error) {
	if token.IsZero() {
		return SignedIn{}, ErrNoSession
	}
	now := time.Now()
	hash := hashOf("session", token)
	s, p, err := d.store.OperatorSession(ctx, hash, now.Add(-Longest), now.Add(-Idle))
	if errors.Is(err, central.ErrNotFound) {
		return SignedIn{}, ErrNoSession
	}
	if err != nil {
		return SignedIn{}, err
	}
	if touch && now.Sub(s.SeenAt) >= touchEvery {
		if err := d.store.TouchOperatorSession(ctx, hash, now); err != nil {
			return SignedIn{}, err
		}
	}
	return SignedIn{Person: p, Session: s, Token: token}, nil
}

// SignOut ends a session.
func (d *Desk) SignOut(ctx context.Context, s SignedIn) error {
	e, err := d.entry(s.Actor(), ActSignOut, s.Person.Login, Done)
	if err != nil {
		return err
	}
	return d.store.CloseOperatorSession(ctx, s.Hash, e)
}
