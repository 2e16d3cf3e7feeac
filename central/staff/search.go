package staff

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Search selects operations by other things than their names. One of Aadhaar, Mobile
// and Merchant is set, or none, which selects all that move money.
type Search struct {
	Aadhaar  string   // masked, as it is stored: XXXXXXXX7058
	Mobile   string   // ten digits, of a merchant
	Hash     [32]byte // of Mobile, by which a remitter's transfers are found (accounts.CustomerByMobile)
	Merchant central.MerchantID
	From, To time.Time // created in [From, To)
	Limit    int
}

// ListQuery selects operations for a list. Empty members select all. Without a merchant only
// operations with an amount are listed.
type ListQuery struct {
	State       op.State
	Open, Stuck bool // only those without a final state, or only the stuck ones
	Kind        central.Kind
	Merchant    central.MerchantID
	Vendor      central.VendorID
	Terminal    central.TerminalID
	IIN         string      // of the customer's bank
	Min, Max    money.Paise // of the amount, both included; Max 0: no limit
	From, To    time.Time   // created in [From, To)
	// Before and BeforeID continue a list after its last operation, or from ListPage.LookedTo.
	Before   time.Time
	BeforeID op.ID
	// Look is how many operations the page looks at, at most: a filter that few operations
	// pass then answers in time, and the next page continues.
	Look  int
	Limit int
}

// ListPage is one page of a list.
type ListPage struct {
	Operations []central.Operation // latest first
	// LookedTo is how far back the page looked, where it stopped before its limit because few
	// of many operations pass the filter; zero: it is complete.
	LookedTo time.Time
}

// Related is what belongs to an operation.
type Related struct {
	// Operations are those that refer to it, such as refunds, and those that it refers to;
	// latest first.
	Operations []central.Operation
	Session    *AgentSession    // nil: it ran under none
	Earning    *central.Earning // without Postings; nil: it earned nothing
	Reversed   bool             // the earning was reversed
}

// AgentSession is an agent's session at the bank with what began it.
type AgentSession struct {
	central.AgentSession
	// OpenedBy is the operation that began it: the agent's sign-in, or the first transaction,
	// which signed in by the way. Empty: it is not known.
	OpenedBy op.ID
}

// OperationFinder finds operations. Each method is quick on a large, busy database.
type OperationFinder interface {
	central.OperationFinder
	// Search lists operations, newest first.
	Search(ctx context.Context, s Search) ([]central.Operation, error)
	// List lists operations by a filter.
	List(ctx context.Context, q ListQuery) (ListPage, error)
	// Operation returns one, or central.ErrNotFound.
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
	// History returns its steps, oldest first.
	History(ctx context.Context, id op.ID) ([]central.Step, error)
	// Related returns what belongs to an operation.
	Related(ctx context.Context, o central.Operation) (Related, error)
	// LastReasons returns the reason of the newest step of each operation.
	LastReasons(ctx context.Context, ids []op.ID) (map[op.ID]string, error)
	// EnquireNow makes the enquiry of a pending operation due and records in its
	// history who asked for it; central.ErrState: it is not pending.
	EnquireNow(ctx context.Context, id op.ID, at time.Time, who string) error
}

// ReplySummary is the reply to an operation's caller, without the customer's data;
// empty: none so far.
func ReplySummary(o central.Operation) string {
	if len(o.Reply) == 0 {
		return ""
	}
	var reply struct {
		StatusCode string `json:"statusCode"`
		Message    string `json:"message"`
	}
	if err := json.Unmarshal(o.Reply, &reply); err != nil {
		return fmt.Sprintf("HTTP %d", o.HTTP)
	}
	return fmt.Sprintf("HTTP %d, statusCode %q, %s", o.HTTP, reply.StatusCode, reply.Message)
}
