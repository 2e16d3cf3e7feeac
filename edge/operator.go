package edge

import (
	"fmt"
	"time"
)

// Operator is a person who works at this counter.
type Operator struct {
	ID       string // of the counter's own choosing; never changes
	Name     string
	Role     Role
	Language string // in which the pages speak, BCP 47; empty: not chosen
	// Wait is until a PIN of the operator is looked at again, as it was when the
	// list was asked for; 0: at once.
	Wait time.Duration
}

// Role is what an operator may do.
type Role string

// The roles. An owner may do everything, and manages the operators.
const (
	RoleOwner    Role = "owner"
	RoleOperator Role = "operator"
)

// AgentID is the operator who enrolled the counter.
const AgentID = "agent"

// PINError says that a PIN was not accepted.
type PINError struct {
	Left int           // tries left before the operator waits; 0: waits now
	Wait time.Duration // until the next try is looked at; 0: try at once
}

func (e *PINError) Error() string {
	if e.Wait > 0 {
		return fmt.Sprintf("wrong PIN; wait %s before the next try", e.Wait.Round(time.Second))
	}
	return fmt.Sprintf("wrong PIN; %d tries left", e.Left)
}
