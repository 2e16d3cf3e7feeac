package edge

// Operator is a person who works at this counter.
type Operator struct {
	ID       string // of the counter's own choosing; never changes
	Name     string
	Role     Role
	Language string // in which the pages speak, BCP 47; empty: not chosen
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
