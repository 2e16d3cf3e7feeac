package staff

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"galla/central"
	"galla/shared/printable"
	"galla/shared/secret"
)

// Role is what a member may do.
type Role string

// The roles. Each one includes those before it.
const (
	Viewer   Role = "viewer"   // reads
	Operator Role = "operator" // acts on operations, cases, terminals and callbacks
	Admin    Role = "admin"    // manages staff, merchants, vendors, keys and slabs, and reads the audit log
)

// Roles lists them, the least first.
func Roles() []Role { return []Role{Viewer, Operator, Admin} }

// rank orders the roles; 0 is no role.
func (r Role) rank() int {
	for i, known := range Roles() {
		if r == known {
			return i + 1
		}
	}
	return 0
}

// May reports whether the role is at least the one that something needs.
func (r Role) May(need Role) bool { return r.rank() > 0 && need.rank() > 0 && r.rank() >= need.rank() }

// ParseRole reads a role. ErrRole.
func ParseRole(s string) (Role, error) {
	if r := Role(s); r.rank() > 0 {
		return r, nil
	}
	return "", ErrRole
}

// Member is somebody who may use the console, or might once.
type Member struct {
	Login string // never used again for another person; in small letters
	Name  string // the person's own
	Role  Role
	// Vendor is whose person a member of the portal is; empty: of the console's staff.
	Vendor central.VendorID

	CreatedAt  time.Time
	CreatedBy  string
	DisabledAt time.Time // zero: enabled
	// SetupEnds is until when an unused set-up code works; zero: there is none.
	SetupEnds time.Time
	// Ready is set once a password and a second factor are.
	Ready bool
	// Approval is what a second admin still has to approve, and RequestedBy is who
	// requested it.
	Approval    Approval
	RequestedBy string
}

// Approval is a step that one admin can't take alone.
type Approval string

// The approvals. Until the approval nobody signs in with a new admin's account or with
// one that was reset, and a future admin keeps the former role.
const (
	ApprovalNone  Approval = ""
	ApprovalAdd   Approval = "add"   // a new admin
	ApprovalReset Approval = "reset" // a new password and second factor
	ApprovalRole  Approval = "role"  // a member becomes an admin
)

// Locked reports whether nobody can sign in before an approval.
func (p Member) Locked() bool { return p.Approval == ApprovalAdd || p.Approval == ApprovalReset }

// Account is a member with what signing in needs. Only this package and the store see
// it.
type Account struct {
	Member
	Password  string // argon2id, PHC text; empty: none
	Sealed    []byte // the second factor's secret; nil: none
	Step      int64  // the newest 30 seconds whose code was used
	SetupHash [32]byte
}

// Why a step is refused, in sentences for people.
var (
	ErrLogin        = errors.New("a login is a letter, then letters, digits and . _ @ -, at most 64 in all")
	ErrName         = errors.New("a name has 1 to 60 letters, spaces, dots, hyphens or apostrophes")
	ErrRole         = errors.New("a role is viewer, operator or admin")
	ErrLastAdmin    = errors.New("this is the last admin: make another person an admin first")
	ErrTooMany      = errors.New("there are 500 members, which is the most")
	ErrPassword     = errors.New("a password has at least 12 characters, of which 6 are different, at most 200 bytes, and is not made of the login")
	ErrSamePassword = errors.New("the new password is the old one: choose another")
	// ErrWrong is the only answer to a refused sign-in, whatever was wrong.
	ErrWrong = errors.New("login, password or code is wrong")
	// ErrSetup is the only answer to a refused set-up.
	ErrSetup = errors.New("login or set-up code is wrong, or the code was used or is older than a day: ask for a new one (galla-central staff reset)")
	// ErrCode: the code of the second factor is wrong, or was used.
	ErrCode = errors.New("the code is wrong or was used already: wait for the next one, and check the telephone's clock")
	// ErrUnapproved: the set-up code is right, but has to be approved first.
	ErrUnapproved = errors.New("a second admin has to approve this account before it can be set up: on the member's page in the console, or with galla-central staff approve on the central's machine")
	// ErrNotIndependent: whoever approves is not independent of whoever requested.
	ErrNotIndependent = errors.New("you can't approve this: you requested it, it is about yourself, or one of you got the access from the other, or both of you got it from one admin alone; another admin must approve, or galla-central staff approve on the central's machine")
	// ErrNothingToApprove: nothing waits for approval.
	ErrNothingToApprove = errors.New("nothing waits for approval here: load the page again")
	// ErrResetPending: a reset has to be approved before the role changes.
	ErrResetPending = errors.New("a reset of this account waits for approval: have it approved first, or disable the account")
	// ErrNoSession: the token is of no open session.
	ErrNoSession = errors.New("nobody is signed in")
)

// WaitError says that there were too many wrong attempts.
type WaitError struct{ Wait time.Duration }

func (e *WaitError) Error() string {
	return fmt.Sprintf("too many attempts: try again in %v", e.Wait.Round(time.Second))
}

const (
	// MaxMembers bounds the members, disabled ones included: one page lists them.
	MaxMembers = 500
	maxName    = 60 // characters
	// minPassword and minDistinct make guessing hopeless within the waits;
	// maxPassword bounds what a hash reads.
	minPassword = 12
	minDistinct = 6
	maxPassword = 200 // bytes
)

var loginForm = regexp.MustCompile(`^[a-z][a-z0-9._@-]{0,63}$`)

// ByRule can't be a login: cases name it where a rule decided.
const ByRule = "rule"

// ParseLogin reads a login, in small letters. ErrLogin.
func ParseLogin(s string) (string, error) {
	out := strings.ToLower(strings.TrimSpace(s))
	if !loginForm.MatchString(out) || out == ByRule {
		return "", ErrLogin
	}
	return out, nil
}

// cleanName returns a name with single spaces. It refuses digits, so that no Aadhaar
// or mobile number gets into one. ErrName.
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

// checkPassword returns ErrPassword where a password is too weak.
func checkPassword(login string, p secret.Token) error {
	text := p.Reveal()
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	small := strings.ToLower(text)
	if utf8.RuneCountInString(text) < minPassword || len(text) > maxPassword || len(seen) < minDistinct ||
		strings.Trim(strings.ReplaceAll(small, login, ""), "0123456789!.-_ ") == "" {
		return ErrPassword
	}
	return nil
}
