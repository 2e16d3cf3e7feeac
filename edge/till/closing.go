package till

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"galla/shared/money"
	"galla/shared/op"
)

// Bounds of a closing.
const (
	maxReason    = 200 // characters: one line on the printed closing
	maxUnsettled = 500 // named in a closing; more than these are not acknowledged unread
)

// Errors of Close.
var (
	ErrClosed = errors.New("the day is closed already, and a closed day can't be changed")
	ErrFuture = errors.New("the day has not begun")
	ErrReason = errors.New("say why the counted cash differs from the expected, in up to 200 characters")
)

// UnsettledError says that a day was to be closed over operations that the
// operator was not shown.
type UnsettledError struct{ IDs []op.ID }

func (e *UnsettledError) Error() string {
	return fmt.Sprintf("%d operation(s) have no outcome and were not acknowledged; look at them, and close again", len(e.IDs))
}

// AskingError says that a day was to be closed while nobody had said of some cash
// whether it was given.
type AskingError struct{ IDs []op.ID }

func (e *AskingError) Error() string {
	return fmt.Sprintf("nobody has said of %d operation(s) whether the cash was given; answer each, and close again", len(e.IDs))
}

// Closing is a day that was closed, as it is kept.
type Closing struct {
	Day       Day         `json:"day"`
	Operator  string      `json:"operator"` // who counted
	ClosedAt  time.Time   `json:"-"`        // by the counter's clock
	Opening   money.Paise `json:"opening"`
	Lines     []Line      `json:"lines"`
	Expected  money.Paise `json:"expected"`
	Count     Count       `json:"count"`
	Counted   money.Paise `json:"counted"`
	Reason    string      `json:"reason,omitzero"` // of a difference
	Unsettled []op.ID     `json:"unsettled,omitzero"`
	Done      int         `json:"done"`
	Failed    int         `json:"failed"`
}

// Difference is the counted cash less the expected: negative where cash is
// missing.
func (c Closing) Difference() money.Paise { return c.Counted - c.Expected }

// closing makes the closing of a reckoning. acknowledged are the unsettled
// operations that the operator was shown.
func closing(k Reckoning, operator string, counted Count, reason string, acknowledged []op.ID) (Closing, error) {
	c := Closing{
		Day: k.Day, Operator: operator, Opening: k.Opening, Lines: k.Lines, Expected: k.Expected,
		Count: counted, Counted: counted.Total(), Reason: strings.TrimSpace(reason), Done: k.Done, Failed: k.Failed,
	}
	if len(k.Asking) > 0 {
		return Closing{}, &AskingError{IDs: ids(k.Asking)}
	}
	seen := map[op.ID]bool{}
	for _, id := range acknowledged {
		seen[id] = true
	}
	var unseen []op.ID
	for _, r := range k.Unsettled {
		c.Unsettled = append(c.Unsettled, r.ID)
		if !seen[r.ID] {
			unseen = append(unseen, r.ID)
		}
	}
	if len(unseen) > 0 || len(c.Unsettled) > maxUnsettled {
		return Closing{}, &UnsettledError{IDs: c.Unsettled}
	}
	if n := utf8.RuneCountInString(c.Reason); c.Difference() != 0 && n == 0 || n > maxReason || !utf8.ValidString(c.Reason) {
		return Closing{}, ErrReason
	}
	return c, nil
}

func (c Closing) encode() ([]byte, error) {
	value, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write the closing of %s: %w", c.Day, err)
	}
	return value, nil
}

func decodeClosing(value []byte, at time.Time) (Closing, error) {
	var c Closing
	if err := json.Unmarshal(value, &c); err != nil {
		return Closing{}, fmt.Errorf("read a closing: %w", err)
	}
	c.ClosedAt = at
	return c, nil
}
