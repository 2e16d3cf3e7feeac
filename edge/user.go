package edge

import (
	"fmt"
	"time"
)

// User is a person who works at this counter.
type User struct {
	ID       string // chosen by the counter; never changes
	Name     string
	Role     Role
	Language string // of the pages, BCP 47; empty: not chosen
	// Wait is how long a PIN of this user is refused, as of when the list was
	// read; 0: not at all.
	Wait time.Duration
}

// Role is what a user may do.
type Role string

// The roles. An owner may do everything, and manages the users.
const (
	RoleOwner    Role = "owner"
	RoleOperator Role = "operator"
)

// AgentID is the user who enrolled the terminal.
const AgentID = "agent"

// PINError reports a PIN that was not accepted.
type PINError struct {
	TriesLeft int           // before the user has to wait; 0: waits now
	Wait      time.Duration // until the next try; 0: at once
}

func (e *PINError) Error() string {
	if e.Wait > 0 {
		return fmt.Sprintf("wrong PIN; wait %s before the next try", e.Wait.Round(time.Second))
	}
	return fmt.Sprintf("wrong PIN; %d tries left", e.TriesLeft)
}
