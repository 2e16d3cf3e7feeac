package staff

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"galla/central"
	"galla/shared/password"
	"galla/shared/secret"
)

// setupBytes is enough for a code of 100 bits, typed once, in groups of four.
const setupBytes = 13

// Setup is what a new member gets, once.
type Setup struct {
	Login         string
	Code          secret.Token
	Ends          time.Time
	NeedsApproval bool // a second admin has to approve it before the code works
}

// newSetup makes a set-up code and the secret of a second factor.
func (s *Service) newSetup(login string) (Account, Setup, error) {
	raw := make([]byte, setupBytes)
	if _, err := io.ReadFull(s.cfg.Rand, raw); err != nil {
		return Account{}, Setup{}, fmt.Errorf("draw a set-up code: %w", err)
	}
	text := strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw))[:20]
	code := secret.NewToken(strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16], text[16:]}, "-"))
	f, err := newFactor(login, s.cfg.Rand)
	if err != nil {
		return Account{}, Setup{}, err
	}
	sealed, err := s.vault.seal(f.key.Reveal(), factorPurpose, login)
	if err != nil {
		return Account{}, Setup{}, fmt.Errorf("seal a second factor: %w", err)
	}
	ends := time.Now().Add(SetupLife)
	r := Account{Member: Member{Login: login, SetupEnds: ends}, Sealed: sealed, SetupHash: tokenHash("setup", code)}
	return r, Setup{Login: login, Code: code, Ends: ends}, nil
}

// Add records a member, who signs in after the set-up; a new admin after a second
// admin's approval too. ErrLogin, ErrName, ErrRole, ErrTooMany, central.ErrTaken.
func (s *Service) Add(ctx context.Context, login, name string, role Role, by Actor) (Setup, error) {
	login, err := ParseLogin(login)
	if err != nil {
		return Setup{}, err
	}
	if name, err = cleanName(name); err != nil {
		return Setup{}, err
	}
	if !slices.Contains(s.realm.Roles(), role) {
		return Setup{}, ErrRole
	}
	r, setup, err := s.newSetup(login)
	if err != nil {
		return Setup{}, err
	}
	r.Name, r.Role, r.CreatedAt, r.CreatedBy = name, role, time.Now(), by.displayName()
	e, err := s.newEntry(by, ActAdd, login, OutcomeDone)
	if err != nil {
		return Setup{}, err
	}
	e.Became = string(role)
	if role == Admin && !s.realm.portal {
		setup.NeedsApproval = r.requestApproval(ApprovalAdd, by, &e)
	}
	return setup, s.store.AddMember(ctx, r, e)
}

// requestApproval makes a step wait for a second admin, unless a command does it.
func (r *Account) requestApproval(what Approval, by Actor, e *AuditEntry) bool {
	if by.Login == "" {
		return false
	}
	r.Approval, r.RequestedBy, e.Note = what, by.Login, "waits for a second admin"
	return true
}

// displayName names who acts: the login, or the origin of a command.
func (a Actor) displayName() string {
	if a.Login != "" {
		return a.Login
	}
	return a.From
}

// Reset forgets a member's password and second factor, ends the sessions and opens a
// new set-up, which works after a second admin's approval. It enables a disabled
// member again. central.ErrNotFound.
func (s *Service) Reset(ctx context.Context, login string, by Actor) (Setup, error) {
	was, err := s.account(ctx, login)
	if err != nil {
		return Setup{}, err
	}
	r, setup, err := s.newSetup(was.Login)
	if err != nil {
		return Setup{}, err
	}
	e, err := s.newEntry(by, ActReset, was.Login, OutcomeDone)
	if err != nil {
		return Setup{}, err
	}
	if !s.realm.portal {
		setup.NeedsApproval = r.requestApproval(ApprovalReset, by, &e)
	}
	return setup, s.store.ResetMember(ctx, r, e)
}

// SetRole changes a member's role; the sessions end. A change to admin waits for a
// second admin's approval. ErrRole, ErrLastAdmin, ErrResetPending,
// central.ErrNotFound.
func (s *Service) SetRole(ctx context.Context, login string, role Role, by Actor) error {
	if !slices.Contains(s.realm.Roles(), role) {
		return ErrRole
	}
	login, err := ParseLogin(login)
	if err != nil {
		return err
	}
	return s.withEntry(by, ActRole, login, func(e AuditEntry) error { return s.store.SetMemberRole(ctx, login, role, e) })
}

// WithRole returns the account with a new role, as the entry's person gave it, and
// fills in the entry. The store calls it in the transaction that writes both, with the
// account that it holds. ErrResetPending.
func (r Account) WithRole(role Role, e *AuditEntry) (Account, error) {
	e.Was, e.Became = string(r.Role), string(role)
	if role == Admin && r.Role != Admin && e.Person != "" && r.Vendor == "" {
		if r.Locked() {
			return Account{}, ErrResetPending
		}
		r.requestApproval(ApprovalRole, Actor{Login: e.Person}, e)
		return r, nil
	}
	if r.Approval != ApprovalReset && (r.Approval != ApprovalAdd || role != Admin) {
		r.Approval, r.RequestedBy = ApprovalNone, ""
	}
	r.Role = role
	return r, nil
}

// Disable forbids a member to sign in; the sessions end. ErrLastAdmin,
// central.ErrNotFound.
func (s *Service) Disable(ctx context.Context, login string, by Actor) error {
	was, err := s.account(ctx, login)
	if err != nil {
		return err
	}
	return s.withEntry(by, ActDisable, was.Login, func(e AuditEntry) error {
		e.Was, e.Became = "enabled", "disabled"
		return s.store.DisableMember(ctx, was.Login, e)
	})
}

// Members lists all members, by login.
func (s *Service) Members(ctx context.Context) ([]Member, error) {
	return s.store.Members(ctx, s.realm.vendor)
}

// Member returns one, or central.ErrNotFound.
func (s *Service) Member(ctx context.Context, login string) (Member, error) {
	r, err := s.account(ctx, login)
	return r.Member, err
}

func (s *Service) account(ctx context.Context, login string) (Account, error) {
	login, err := ParseLogin(login)
	if err != nil {
		return Account{}, err
	}
	return s.store.MemberAccount(ctx, login)
}

// CheckSetup checks a set-up code, which stays usable, and returns the second factor
// that the member is to register. *WaitError, ErrSetup, ErrUnapproved.
func (s *Service) CheckSetup(ctx context.Context, login string, code secret.Token, from string) (Factor, error) {
	r, err := s.openSetup(ctx, login, code, from)
	if err != nil {
		return Factor{}, err
	}
	return s.openFactor(r)
}

// openSetup finds the account of an open set-up. *WaitError, ErrSetup, ErrUnapproved.
func (s *Service) openSetup(ctx context.Context, login string, code secret.Token, from string) (Account, error) {
	if err := s.checkRate(ctx, from); err != nil {
		return Account{}, err
	}
	refuse := func(login string) (Account, error) {
		return Account{}, errors.Join(ErrSetup, s.write(ctx, Actor{Login: login, From: from}, Change{What: ActEnrol, Subject: login}, OutcomeRefused))
	}
	r, err := s.account(ctx, login)
	if errors.Is(err, central.ErrNotFound) || errors.Is(err, ErrLogin) {
		return refuse("")
	}
	if err != nil {
		return Account{}, err
	}
	given := tokenHash("setup", secret.NewToken(strings.ToLower(strings.TrimSpace(code.Reveal()))))
	if subtle.ConstantTimeCompare(given[:], r.SetupHash[:]) != 1 || !r.DisabledAt.IsZero() || !time.Now().Before(r.SetupEnds) {
		return refuse(r.Login)
	}
	if r.Locked() {
		return Account{}, ErrUnapproved
	}
	return r, nil
}

// Enrol ends a set-up: it sets the chosen password, checks a code of the second factor
// and signs the member in. *WaitError, ErrSetup, ErrUnapproved, ErrPassword, ErrCode.
func (s *Service) Enrol(ctx context.Context, login string, code, chosen secret.Token, proof secret.OTP, from string) (SignedIn, error) {
	r, err := s.openSetup(ctx, login, code, from)
	if err != nil {
		return SignedIn{}, err
	}
	if err := checkPassword(r.Login, chosen); err != nil {
		return SignedIn{}, err
	}
	f, err := s.openFactor(r)
	if err != nil {
		return SignedIn{}, err
	}
	if r.Step, err = f.step(proof, time.Now(), 0); err != nil {
		return SignedIn{}, err
	}
	if r.Step == 0 {
		return SignedIn{}, ErrCode
	}
	if r.Password, err = s.hashPassword(ctx, chosen); err != nil {
		return SignedIn{}, err
	}
	by := Actor{r.Login, r.Role, from}
	session, err := s.newSession(by, ActEnrol, r.Login, func(session Session, e AuditEntry) error { return s.store.EnrolMember(ctx, r, session, e) })
	if errors.Is(err, central.ErrState) {
		return SignedIn{}, ErrSetup
	}
	session.Member = r.Member
	return session, err
}

func (s *Service) hashPassword(ctx context.Context, chosen secret.Token) (string, error) {
	select {
	case s.hashes <- struct{}{}:
		defer func() { <-s.hashes }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return password.Hash(chosen, s.cfg.Rand, s.cfg.Cost)
}

// ChangePassword sets the password of the signed-in member, who proves the old one and
// the second factor as at a sign-in. All sessions end, and a new one is returned.
// *WaitError, ErrWrong, ErrPassword, ErrSamePassword.
func (s *Service) ChangePassword(ctx context.Context, in SignedIn, old, chosen secret.Token, code secret.OTP) (SignedIn, error) {
	by := in.Actor()
	if err := checkPassword(by.Login, chosen); err != nil {
		return SignedIn{}, err
	}
	if chosen.Equal(old) {
		return SignedIn{}, ErrSamePassword
	}
	was, err := s.store.MemberAccount(ctx, by.Login)
	if err != nil {
		return SignedIn{}, err
	}
	if err := s.countAttempt(ctx, by.Login); err != nil {
		return SignedIn{}, err
	}
	step, err := s.verifyCredentials(ctx, was, old, code)
	if err != nil {
		return SignedIn{}, err
	}
	if step == 0 {
		return SignedIn{}, errors.Join(ErrWrong, s.write(ctx, by, Change{What: ActPassword, Subject: by.Login}, OutcomeRefused))
	}
	is := was
	is.Step = step
	if is.Password, err = s.hashPassword(ctx, chosen); err != nil {
		return SignedIn{}, err
	}
	session, err := s.newSession(by, ActPassword, by.Login, func(session Session, e AuditEntry) error {
		return s.store.SetMemberPassword(ctx, was, is, session, e)
	})
	if errors.Is(err, central.ErrState) {
		return SignedIn{}, ErrWrong
	}
	session.Member = was.Member
	return session, err
}
