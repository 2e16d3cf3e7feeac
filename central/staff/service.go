package staff

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"galla/central"
	"galla/central/ratelimit"
	"galla/shared/password"
	"galla/shared/secret"
)

const (
	// SessionIdle is how long a session lasts without a request.
	SessionIdle = 15 * time.Minute
	// SessionLifetime is how long a session lasts at most: a working day.
	SessionLifetime = 10 * time.Hour
	// touchEvery is how often a session's last use is written at most.
	touchEvery = time.Minute
	// SetupLife is how long a set-up code can be used.
	SetupLife = 24 * time.Hour
)

// Rates of attempts, over all nodes: of one address, and of all addresses. A person
// makes a few attempts; a hash takes a tenth of a second of one core.
var (
	addressRate = ratelimit.Rate{PerSecond: 0.2, Burst: 20}
	globalRate  = ratelimit.Rate{PerSecond: 3, Burst: 60}
	// searchRate is for one person's searches: fast enough while a customer is on the
	// telephone, far too slow to try a list of numbers.
	searchRate = ratelimit.Rate{PerSecond: 0.25, Burst: 60}
)

// maxHashes bounds how many hashes are computed at one time: each takes 64 MiB.
const maxHashes = 2

// Config sets up a Service.
type Config struct {
	Rand   io.Reader
	Logger *slog.Logger
	// Realm is whose people it knows; the zero value: the console's staff.
	Realm Realm
	// Cost of new hashes; the zero value is password.Full.
	Cost password.Cost
}

// Service manages accounts, sessions and sign-ins. Its methods may be called
// concurrently.
type Service struct {
	*AuditLog
	store     Store
	realm     Realm
	vault     *Vault
	cfg       Config
	dummy     dummyCredentials
	verifiers verifiers
	hashes    chan struct{}
	counts    *signInCounts
}

// verifiers check both proofs of a sign-in, in the same way for logins that exist and
// for those that do not. Tests replace them.
type verifiers struct {
	password func(stored string, typed secret.Token) (bool, error)
	code     func(f Factor, typed secret.OTP, now time.Time, used int64) (int64, error)
}

// dummyCredentials are checked in place of those of a login that does not exist.
type dummyCredentials struct {
	hash   string
	factor Factor
}

// signInCounts counts this node's sign-ins.
type signInCounts struct{ opened, refused, waiting atomic.Int64 }

// SignIns is how many sign-ins this node has judged since its start.
type SignIns struct {
	Opened  int64
	Refused int64 // something was wrong
	Waiting int64 // not checked, because of a wait or a rate
}

// SignIns returns the counts, for metrics.
func (s *Service) SignIns() SignIns {
	return SignIns{s.counts.opened.Load(), s.counts.refused.Load(), s.counts.waiting.Load()}
}

// New returns a Service. It needs every argument but cfg.Cost.
func New(store Store, vault *Vault, cfg Config) (*Service, error) {
	if !store.complete() || vault == nil || cfg.Rand == nil || cfg.Logger == nil {
		return nil, errors.New("the staff service needs a database, a vault, randomness and a logger")
	}
	if cfg.Cost == (password.Cost{}) {
		cfg.Cost = password.DefaultCost()
	}
	auditLog, err := NewAuditLog(store, cfg.Rand)
	if err != nil {
		return nil, err
	}
	s := &Service{AuditLog: auditLog, store: store.within(cfg.Realm), realm: cfg.Realm, counts: &signInCounts{}, vault: vault, cfg: cfg, verifiers: verifiers{password.Verify, Factor.step}, hashes: make(chan struct{}, maxHashes)}
	if s.dummy.hash, err = password.Unmatchable(cfg.Rand, cfg.Cost); err != nil {
		return nil, err
	}
	s.dummy.factor, err = newFactor("", cfg.Rand)
	return s, err
}

// tokenBytes is 256 bits.
const tokenBytes = 32

func (s *Service) newToken() (secret.Token, error) {
	raw := make([]byte, tokenBytes)
	if _, err := io.ReadFull(s.cfg.Rand, raw); err != nil {
		return secret.Token{}, fmt.Errorf("draw a token: %w", err)
	}
	return secret.NewToken(base64.RawURLEncoding.EncodeToString(raw)), nil
}

// tokenHash is how a token is stored.
func tokenHash(use string, token secret.Token) [32]byte {
	return sha256.Sum256([]byte("galla/console/" + use + "/v1\n" + token.Reveal()))
}

// SignedIn is an open session with its member.
type SignedIn struct {
	Member
	Session
	Token secret.Token // for the browser's cookie
}

// Actor returns who acts in the session.
func (s SignedIn) Actor() Actor { return Actor{Login: s.Member.Login, Role: s.Role, From: s.From} }

// checkRate counts an attempt against the rates of its address and of all addresses.
// *WaitError.
func (s *Service) checkRate(ctx context.Context, from string) error {
	if at, err := netip.ParseAddr(strings.TrimPrefix(from, portalOrigin)); err == nil {
		from = ratelimit.Network(at)
	}
	if err := s.takeToken(ctx, s.realm.name()+":"+from, addressRate); err != nil {
		return err
	}
	return s.takeToken(ctx, s.realm.name(), globalRate)
}

// CountSearch counts a search by a member, over all nodes. *WaitError.
func (s *Service) CountSearch(ctx context.Context, login string) error {
	return s.takeToken(ctx, "console-search:"+login, searchRate)
}

// takeToken takes one use of a rate. *WaitError.
func (s *Service) takeToken(ctx context.Context, name string, rate ratelimit.Rate) error {
	given, wait, err := s.store.TakeRateTokens(ctx, name, rate, 1, time.Now())
	if err == nil && given == 0 {
		err = &WaitError{max(wait, time.Second)}
	}
	return err
}

// countAttempt counts an attempt before it is judged. *WaitError.
func (s *Service) countAttempt(ctx context.Context, name string) error {
	wait, err := s.store.CountStaffAttempt(ctx, name, time.Now(), password.Wait)
	if err == nil && wait > 0 {
		err = &WaitError{wait}
	}
	return err
}

// verifyPassword compares a password with a stored hash, a few at a time. For an empty
// hash it does the same work and returns false.
func (s *Service) verifyPassword(ctx context.Context, stored string, typed secret.Token) (bool, error) {
	select {
	case s.hashes <- struct{}{}:
		defer func() { <-s.hashes }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if len(typed.Reveal()) > maxPassword {
		typed = secret.NewToken("")
	}
	if stored == "" {
		_, err := s.verifiers.password(s.dummy.hash, typed)
		return false, err
	}
	return s.verifiers.password(stored, typed)
}

// SignIn opens a session. *WaitError, ErrWrong. A login that does not exist costs the
// same work and the same waits.
func (s *Service) SignIn(ctx context.Context, name string, typed secret.Token, code secret.OTP, from string) (SignedIn, error) {
	return s.SignInWithBrowserToken(ctx, name, typed, code, from, secret.Token{})
}

// SignInWithBrowserToken is SignIn from a browser with a token of NewBrowserToken; a
// zero token is none.
func (s *Service) SignInWithBrowserToken(ctx context.Context, name string, typed secret.Token, code secret.OTP, from string, browser secret.Token) (SignedIn, error) {
	in, err := s.signIn(ctx, name, typed, code, from, browser)
	var wait *WaitError
	switch {
	case err == nil:
		s.counts.opened.Add(1)
	case errors.As(err, &wait):
		s.counts.waiting.Add(1)
	case errors.Is(err, ErrWrong):
		s.counts.refused.Add(1)
	}
	return in, err
}

func (s *Service) signIn(ctx context.Context, name string, typed secret.Token, code secret.OTP, from string, browser secret.Token) (SignedIn, error) {
	counted, known := "", false
	if login, err := ParseLogin(name); err == nil {
		counted, known = s.attemptName(login, browser)
	}
	// Attempts from a known browser have their own count, which bounds them.
	if !known {
		if err := s.checkRate(ctx, from); err != nil {
			return SignedIn{}, err
		}
	}
	name, err := ParseLogin(name)
	if err != nil {
		return SignedIn{}, errors.Join(ErrWrong, s.recordRefusedSignIn(ctx, "", from, "(not a login)"))
	}
	r, err := s.store.MemberAccount(ctx, name)
	if err != nil && !errors.Is(err, central.ErrNotFound) {
		return SignedIn{}, err
	}
	existing := ""
	if err == nil {
		existing = name
	}
	if err := s.countAttempt(ctx, counted); errors.As(err, new(*WaitError)) {
		return SignedIn{}, errors.Join(err, s.recordRefusedSignIn(ctx, existing, from, "has to wait after wrong attempts"))
	} else if err != nil {
		return SignedIn{}, err
	}
	step, err := s.verifyCredentials(ctx, r, typed, code)
	if err != nil {
		return SignedIn{}, err
	}
	if step == 0 {
		return SignedIn{}, errors.Join(ErrWrong, s.recordRefusedSignIn(ctx, existing, from, ""))
	}
	session, err := s.newSession(Actor{name, r.Role, from}, ActSignIn, name, func(session Session, e AuditEntry) error {
		session.AttemptName = counted
		return s.store.OpenStaffSession(ctx, r, step, session, e)
	})
	if errors.Is(err, central.ErrState) {
		return SignedIn{}, errors.Join(ErrWrong, s.recordRefusedSignIn(ctx, existing, from, "the code was used, or the account changed meanwhile"))
	}
	session.Member = r.Member
	if err == nil {
		s.strengthenHash(ctx, r, typed)
	}
	return session, err
}

// strengthenHash hashes a password anew that was hashed under a lower cost. The member is signed
// in whether or not it succeeds: the next sign-in tries it again.
func (s *Service) strengthenHash(ctx context.Context, r Account, typed secret.Token) {
	if !password.Weaker(r.Password, s.cfg.Cost) {
		return
	}
	if hash, err := s.hashPassword(ctx, typed); err == nil {
		_ = s.store.RehashMemberPassword(ctx, r.Login, r.Password, hash)
	}
}

// verifyCredentials checks both proofs, whatever the first one gives, and returns the
// time step of the TOTP code; 0: something is wrong.
func (s *Service) verifyCredentials(ctx context.Context, r Account, typed secret.Token, code secret.OTP) (int64, error) {
	stored := r.Password
	if !r.DisabledAt.IsZero() || r.Sealed == nil {
		stored = ""
	}
	right, err := s.verifyPassword(ctx, stored, typed)
	if err != nil {
		return 0, fmt.Errorf("check a password: %w", err)
	}
	if stored == "" {
		_, err := s.verifiers.code(s.dummy.factor, code, time.Now(), 0)
		return 0, err
	}
	f, err := s.openFactor(r)
	if err != nil {
		return 0, err
	}
	step, err := s.verifiers.code(f, code, time.Now(), r.Step)
	if err != nil || !right {
		return 0, err
	}
	return step, nil
}

func (s *Service) openFactor(r Account) (Factor, error) {
	raw, err := s.vault.open(r.Sealed, factorPurpose, r.Login)
	if err != nil {
		return Factor{}, fmt.Errorf("the second factor of %s: %w", r.Login, err)
	}
	return Factor{r.Login, secret.NewKey(raw)}, nil
}

// recordRefusedSignIn writes a refused sign-in into the audit log.
func (s *Service) recordRefusedSignIn(ctx context.Context, login, from, why string) error {
	if login == "" {
		// The typed text is not logged: it may be a password in the wrong field.
		why = strings.TrimSpace("unknown login " + why)
	}
	return s.write(ctx, Actor{Login: login, From: from}, Change{What: ActSignIn, Subject: login, Note: why}, OutcomeRefused)
}

// newSession makes a session of a member and calls write to store it with its entry.
func (s *Service) newSession(by Actor, action Action, login string, write func(Session, AuditEntry) error) (SignedIn, error) {
	token, err := s.newToken()
	if err != nil {
		return SignedIn{}, err
	}
	now := time.Now()
	session := Session{Hash: tokenHash("session", token), Login: login, From: truncate(by.From, maxSubject), OpenedAt: now, SeenAt: now}
	return SignedIn{Session: session, Token: token}, s.withEntry(by, action, login, func(e AuditEntry) error { return write(session, e) })
}

// Session returns who is signed in by a token, and extends the session where touch is
// set. ErrNoSession.
func (s *Service) Session(ctx context.Context, token secret.Token, touch bool) (SignedIn, error) {
	if token.IsZero() {
		return SignedIn{}, ErrNoSession
	}
	now := time.Now()
	hash := tokenHash("session", token)
	session, p, err := s.store.StaffSession(ctx, hash, now.Add(-SessionLifetime), now.Add(-SessionIdle))
	if errors.Is(err, central.ErrNotFound) {
		return SignedIn{}, ErrNoSession
	}
	if err != nil {
		return SignedIn{}, err
	}
	if touch && now.Sub(session.SeenAt) >= touchEvery {
		if err := s.store.TouchStaffSession(ctx, hash, now); err != nil {
			return SignedIn{}, err
		}
	}
	return SignedIn{Member: p, Session: session, Token: token}, nil
}

// SignOut ends a session.
func (s *Service) SignOut(ctx context.Context, in SignedIn) error {
	return s.withEntry(in.Actor(), ActSignOut, in.Member.Login, func(e AuditEntry) error { return s.store.CloseStaffSession(ctx, in.Hash, e) })
}
