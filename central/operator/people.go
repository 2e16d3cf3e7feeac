package operator

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"galla/central"
	"galla/shared/password"
	"galla/shared/secret"
)

// setupBytes is 100 bits: a code that is typed once, in groups of four.
const setupBytes = 13

// Setup is what a new operator is handed, once.
type Setup struct {
	Login string
	Code  secret.Token
	Ends  time.Time
	Asked bool // a second admin has to approve it before the code works
}

// renew makes what a set-up needs: a code, and the secret of a second factor that
// nobody has seen.
func (d *Desk) renew(login string) (Record, Setup, error) {
	raw := make([]byte, setupBytes)
	if _, err := io.ReadFull(d.cfg.Rand, raw); err != nil {
		return Record{}, Setup{}, fmt.Errorf("draw a set-up code: %w", err)
	}
	text := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw))[:20]
	code := secret.NewToken(strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16], text[16:]}, "-"))
	f, err := newFactor(login, d.cfg.Rand)
	if err != nil {
		return Record{}, Setup{}, err
	}
	sealed, err := d.safe.seal(f.key.Reveal(), factorPlace, login)
	if err != nil {
		return Record{}, Setup{}, fmt.Errorf("seal a second factor: %w", err)
	}
	ends := time.Now().Add(SetupLife)
	r := Record{Person: Person{Login: login, SetupEnds: ends}, Sealed: sealed, SetupHash: hashOf("setup", code)}
	return r, Setup{Login: login, Code: code, Ends: ends}, nil
}

// Add records a person, who signs in after a set-up; of an admin, when a second one
// has approved it. ErrLogin, ErrName, ErrRole,
// ErrTooMany, central.ErrTaken.
func (d *Desk) Add(ctx context.Context, login, name string, role Role, by Actor) (Setup, error) {
	login, err := ParseLogin(login)
	if err != nil {
		return Setup{}, err
	}
	if name, err = cleanName(name); err != nil {
		return Setup{}, err
	}
	if role, err = ParseRole(string(role)); err != nil {
		return Setup{}, err
	}
	r, setup, err := d.renew(login)
	if err != nil {
		return Setup{}, err
	}
	r.Name, r.Role, r.CreatedAt, r.CreatedBy = name, role, time.Now(), by.name()
	e, err := d.entry(by, ActAdd, login, Done)
	if err != nil {
		return Setup{}, err
	}
	e.Became = string(role)
	if role == Admin {
		setup.Asked = r.ask(AskAdd, by, &e)
	}
	return setup, d.store.AddOperator(ctx, r, e)
}

// ask has a step wait for a second admin, unless it is done at the machine.
func (r *Record) ask(what Ask, by Actor, e *Entry) bool {
	if by.Login == "" {
		return false
	}
	r.Asked, r.AskedBy, e.Note = what, by.Login, "waits for a second admin"
	return true
}

// name tells who acts, for a column of one word.
func (a Actor) name() string {
	if a.Login != "" {
		return a.Login
	}
	return a.From
}

// Reset forgets a person's password and second factor, ends the sessions and
// opens a new set-up, which works when a second admin has approved it. Who was put
// out is let in again.
func (d *Desk) Reset(ctx context.Context, login string, by Actor) (Setup, error) {
	was, err := d.person(ctx, login)
	if err != nil {
		return Setup{}, err
	}
	r, setup, err := d.renew(was.Login)
	if err != nil {
		return Setup{}, err
	}
	e, err := d.entry(by, ActReset, was.Login, Done)
	if err != nil {
		return Setup{}, err
	}
	setup.Asked = r.ask(AskReset, by, &e)
	return setup, d.store.RenewOperator(ctx, r, e)
}

// SetRole gives a person another role; the sessions end. Somebody becomes an admin
// when a second admin approves it.
func (d *Desk) SetRole(ctx context.Context, login string, role Role, by Actor) error {
	role, err := ParseRole(string(role))
	if err != nil {
		return err
	}
	if login, err = ParseLogin(login); err != nil {
		return err
	}
	e, err := d.entry(by, ActRole, login, Done)
	if err != nil {
		return err
	}
	return d.store.SetOperatorRole(ctx, login, role, e)
}

// Become is who a person is after an entry's person gave another role, and the entry
// tells what came of it. A store asks in the transaction that writes it, of the person
// as held there. ErrAsked.
func (r Record) Become(role Role, e *Entry) (Record, error) {
	e.Was, e.Became = string(r.Role), string(role)
	if role == Admin && r.Role != Admin && e.Person != "" {
		if r.Closed() {
			return Record{}, ErrAsked
		}
		r.ask(AskRole, Actor{Login: e.Person}, e)
		return r, nil
	}
	if r.Asked != AskReset && (r.Asked != AskAdd || role != Admin) {
		r.Asked, r.AskedBy = AskNothing, ""
	}
	r.Role = role
	return r, nil
}

// Disable puts a person out; the sessions end.
func (d *Desk) Disable(ctx context.Context, login string, by Actor) error {
	was, err := d.person(ctx, login)
	if err != nil {
		return err
	}
	e, err := d.entry(by, ActDisable, was.Login, Done)
	if err != nil {
		return err
	}
	e.Was, e.Became = "enabled", "disabled"
	return d.store.DisableOperator(ctx, was.Login, e)
}

// People lists everybody, by login.
func (d *Desk) People(ctx context.Context) ([]Person, error) { return d.store.Operators(ctx) }

// Person gives one, or central.ErrNotFound.
func (d *Desk) Person(ctx context.Context, login string) (Person, error) {
	r, err := d.person(ctx, login)
	return r.Person, err
}

func (d *Desk) person(ctx context.Context, login string) (Record, error) {
	login, err := ParseLogin(login)
	if err != nil {
		return Record{}, err
	}
	return d.store.Operator(ctx, login)
}

// Setup looks at a set-up code, which stays usable, and gives the second factor
// that is to be taken over. *WaitError, ErrSetup.
func (d *Desk) Setup(ctx context.Context, login string, code secret.Token, from string) (Factor, error) {
	r, err := d.setup(ctx, login, code, from)
	if err != nil {
		return Factor{}, err
	}
	return d.factor(r)
}

// setup finds the person of an open set-up.
func (d *Desk) setup(ctx context.Context, login string, code secret.Token, from string) (Record, error) {
	if err := d.admit(ctx, from); err != nil {
		return Record{}, err
	}
	refuse := func(known string) (Record, error) {
		e, err := d.entry(Actor{Login: known, From: from}, ActEnrol, known, Refused)
		if err == nil {
			err = d.store.NoteTrail(ctx, e)
		}
		return Record{}, errors.Join(ErrSetup, err)
	}
	r, err := d.person(ctx, login)
	if errors.Is(err, central.ErrNotFound) || errors.Is(err, ErrLogin) {
		return refuse("")
	}
	if err != nil {
		return Record{}, err
	}
	given := hashOf("setup", secret.NewToken(strings.ToLower(strings.TrimSpace(code.Reveal()))))
	if subtle.ConstantTimeCompare(given[:], r.SetupHash[:]) != 1 || !r.DisabledAt.IsZero() || !time.Now().Before(r.SetupEnds) {
		return refuse(r.Login)
	}
	if r.Closed() {
		return Record{}, ErrUnapproved
	}
	return r, nil
}

// Enrol ends a set-up: the person has chosen a password and proves the second
// factor, and is signed in. *WaitError, ErrSetup, ErrPassword, ErrCode.
func (d *Desk) Enrol(ctx context.Context, login string, code, chosen secret.Token, proof secret.OTP, from string) (SignedIn, error) {
	r, err := d.setup(ctx, login, code, from)
	if err != nil {
		return SignedIn{}, err
	}
	if err := checkPassword(r.Login, chosen); err != nil {
		return SignedIn{}, err
	}
	f, err := d.factor(r)
	if err != nil {
		return SignedIn{}, err
	}
	if r.Step, err = f.step(proof, time.Now(), 0); err != nil {
		return SignedIn{}, err
	}
	if r.Step == 0 {
		return SignedIn{}, ErrCode
	}
	if r.Password, err = d.hash(ctx, chosen); err != nil {
		return SignedIn{}, err
	}
	by := Actor{r.Login, r.Role, from}
	s, err := d.open(by, func(s Session) error {
		e, err := d.entry(by, ActEnrol, r.Login, Done)
		if err != nil {
			return err
		}
		return d.store.EnrolOperator(ctx, r, s, e)
	})
	if errors.Is(err, central.ErrState) {
		return SignedIn{}, ErrSetup
	}
	s.Person = r.Person
	return s, err
}

func (d *Desk) hash(ctx context.Context, chosen secret.Token) (string, error) {
	select {
	case d.hashes <- struct{}{}:
		defer func() { <-d.hashes }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return password.Hash(chosen, d.cfg.Rand, d.cfg.Cost)
}

// ChangePassword sets the password of who is signed in, who proves the old one
// and the second factor as at a sign-in. All sessions end, and a new one is
// given. *WaitError, ErrWrong, ErrPassword, ErrSame.
func (d *Desk) ChangePassword(ctx context.Context, in SignedIn, old, chosen secret.Token, code secret.OTP) (SignedIn, error) {
	by := in.Actor()
	if err := checkPassword(by.Login, chosen); err != nil {
		return SignedIn{}, err
	}
	if chosen.Equal(old) {
		return SignedIn{}, ErrSame
	}
	was, err := d.store.Operator(ctx, by.Login)
	if err != nil {
		return SignedIn{}, err
	}
	wait, err := d.store.TryOperator(ctx, by.Login, time.Now(), password.Wait)
	if err != nil {
		return SignedIn{}, err
	}
	if wait > 0 {
		return SignedIn{}, &WaitError{wait}
	}
	step, err := d.judge(ctx, was, old, code)
	if err != nil {
		return SignedIn{}, err
	}
	if step == 0 {
		return SignedIn{}, errors.Join(ErrWrong, d.note(ctx, by, Change{What: ActPassword, Subject: by.Login}, Refused))
	}
	is := was
	is.Step = step
	if is.Password, err = d.hash(ctx, chosen); err != nil {
		return SignedIn{}, err
	}
	s, err := d.open(by, func(s Session) error {
		e, err := d.entry(by, ActPassword, by.Login, Done)
		if err != nil {
			return err
		}
		return d.store.SetOperatorPassword(ctx, was, is, s, e)
	})
	if errors.Is(err, central.ErrState) {
		return SignedIn{}, ErrWrong
	}
	s.Person = was.Person
	return s, err
}
