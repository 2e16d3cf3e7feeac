package operator

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"galla/shared/printable"
	"galla/shared/secret"
)

// Role is what a person may do.
type Role string

// The roles, each of which may what those before it may.
const (
	Viewer   Role = "viewer"
	Operator Role = "operator"
	Admin    Role = "admin"
)

// Roles lists them, the least first.
func Roles() []Role { return []Role{Viewer, Operator, Admin} }

// rank orders the roles; 0 is none.
func (r Role) rank() int {
	for i, known := range Roles() {
		if r == known {
			return i + 1
		}
	}
	return 0
}

// May tells whether the role is at least the one that something needs.
func (r Role) May(need Role) bool { return r.rank() > 0 && need.rank() > 0 && r.rank() >= need.rank() }

// ParseRole reads a role.
func ParseRole(s string) (Role, error) {
	if r := Role(s); r.rank() > 0 {
		return r, nil
	}
	return "", ErrRole
}

// Person is who may use the console.
type Person struct {
	Login string // names the person for ever, in small letters
	Name  string // for people
	Role  Role

	CreatedAt  time.Time
	CreatedBy  string
	DisabledAt time.Time // zero: may sign in
	// SetupEnds is until when a set-up code works that was not used yet; zero:
	// none is open.
	SetupEnds time.Time
	// Ready tells that a password and a second factor are set.
	Ready bool
	// Asked is what a second admin has still to approve, and AskedBy who asked for it.
	Asked   Ask
	AskedBy string
}

// Ask is something that one admin can't do alone.
type Ask string

// What is asked for. Until it is approved nobody signs in by an account that is to be
// an admin's or was reset, and who is to become an admin keeps the former role.
const (
	AskNothing Ask = ""
	AskAdd     Ask = "add"   // a new admin
	AskReset   Ask = "reset" // a new password and second factor
	AskRole    Ask = "role"  // an admin out of somebody who is there
)

// Closed tells that nobody signs in by the account before it is approved.
func (p Person) Closed() bool { return p.Asked == AskAdd || p.Asked == AskReset }

// Record is a person with what signing in needs. It never leaves this room and
// the store.
type Record struct {
	Person
	Password  string // argon2id, PHC text; empty: none
	Sealed    []byte // the second factor's secret; nil: none
	Step      int64  // the newest 30 seconds whose code was used
	SetupHash [32]byte
}

// What a step is refused for.
var (
	ErrLogin     = errors.New("a login is a letter, then letters, digits and . _ @ -, at most 64 in all")
	ErrName      = errors.New("a name has 1 to 60 letters, spaces, dots, hyphens or apostrophes")
	ErrRole      = errors.New("a role is viewer, operator or admin")
	ErrLastAdmin = errors.New("this is the last admin: make another person an admin first")
	ErrTooMany   = errors.New("there are as many operators as can be kept: they are listed on one page")
	ErrPassword  = errors.New("a password has at least 12 characters, of which 6 are different, at most 200 bytes, and is not made of the login")
	ErrSame      = errors.New("the new password is the old one: choose another")
	// ErrWrong is all that a refused sign-in says, whatever was wrong.
	ErrWrong = errors.New("login, password or code is wrong")
	// ErrSetup is all that a refused set-up says.
	ErrSetup = errors.New("login or set-up code is wrong, or the code was used or is older than a day: ask for a new one (galla-central operator reset)")
	// ErrCode says that the code of the second factor is wrong, or was used.
	ErrCode = errors.New("the code is wrong or was used already: wait for the next one, and see that the telephone's clock is right")
	// ErrUnapproved says that a set-up is good and may not be used yet.
	ErrUnapproved = errors.New("a second admin has to approve this account before it can be set up: on the console's page of the person, or at the machine by galla-central operator approve")
	// ErrNotSecond says that who wants to approve is no second person.
	ErrNotSecond = errors.New("you can't approve this: you asked for it, it is about yourself, or one of you and whoever asked descends from the other or both of you from one admin alone; another admin must, or galla-central operator approve at the machine")
	// ErrNotAsked says that nothing waits for approval.
	ErrNotAsked = errors.New("nothing of this person waits for approval: load the page again")
	// ErrAsked says that a reset has to be approved before the role changes.
	ErrAsked = errors.New("a reset of this person waits for approval: have it approved first, or put the person out")
	// ErrNoSession says that nobody is signed in by this token, any more.
	ErrNoSession = errors.New("nobody is signed in")
)

// WaitError says that a name was tried wrongly too often.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string {
	return fmt.Sprintf("too many tries: come back in %v", e.Wait.Round(time.Second))
}

// Limits of what is kept.
const (
	// MaxPeople bounds all that ever were operators: one page lists them.
	MaxPeople = 500
	maxName   = 60 // characters
	// minPassword and distinct make guessing hopeless within the waits;
	// maxPassword bounds what a hash reads.
	minPassword = 12
	distinct    = 6
	maxPassword = 200 // bytes
)

var login = regexp.MustCompile(`^[a-z][a-z0-9._@-]{0,63}$`)

// ByRule is nobody's login: decisions by rule stand under it in cases.
const ByRule = "rule"

// ParseLogin reads a login; capital letters are small ones.
func ParseLogin(s string) (string, error) {
	out := strings.ToLower(strings.TrimSpace(s))
	if !login.MatchString(out) || out == ByRule {
		return "", ErrLogin
	}
	return out, nil
}

// cleanName gives a name with single spaces. Digits are refused, so that no
// Aadhaar or mobile number can end up in one.
func cleanName(name string) (string, error) {
	name, err := printable.Name(name, len(name)+1)
	if err != nil {
		return "", ErrName
	}
	name = strings.Join(strings.Fields(name), " ")
	letters := 0
	for _, r := range name {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsMark(r), strings.ContainsRune(" .-'’\u200c\u200d", r):
		default:
			return "", ErrName
		}
	}
	if letters == 0 || utf8.RuneCountInString(name) > maxName {
		return "", ErrName
	}
	return name, nil
}

// checkPassword tells whether a password may be chosen.
func checkPassword(login string, p secret.Token) error {
	text := p.Reveal()
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	small := strings.ToLower(text)
	if utf8.RuneCountInString(text) < minPassword || len(text) > maxPassword || len(seen) < distinct ||
		strings.Trim(strings.ReplaceAll(small, login, ""), "0123456789!.-_ ") == "" {
		return ErrPassword
	}
	return nil
}
