package cashbook

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"galla/edge"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// Bounds of a closing.
const (
	MaxReason     = 200 // characters: one line on the printed closing
	MaxUnfinished = 500 // more can't be acknowledged without being read
)

// Errors of Close.
var (
	ErrClosed = errors.New("the day is closed already, and a closed day can't be changed")
	ErrFuture = errors.New("the day has not started yet")
	ErrReason = errors.New("the counted cash differs from the expected: a reason of up to 200 characters is needed")
)

// UnfinishedError says that the day has unfinished operations that the user was not shown.
type UnfinishedError struct{ IDs []op.ID }

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%d operation(s) have no outcome and were not acknowledged; check them, and close again", len(e.IDs))
}

// UnansweredCashError says that nobody has answered for some of the day's cash.
type UnansweredCashError struct{ IDs []op.ID }

func (e *UnansweredCashError) Error() string {
	return fmt.Sprintf("%d operation(s) without an answer whether the cash was given; answer each, and close again", len(e.IDs))
}

// Closing is a closed day, as stored.
type Closing struct {
	Day        ist.Day     `json:"day"`
	Operator   string      `json:"operator"` // who counted
	ClosedAt   time.Time   `json:"-"`        // by the counter's clock
	Opening    money.Paise `json:"opening"`
	Lines      []Line      `json:"lines"`
	Expected   money.Paise `json:"expected"`
	Count      Count       `json:"count"`
	Counted    money.Paise `json:"counted"`
	Reason     string      `json:"reason,omitzero"` // of a difference
	Unfinished []op.ID     `json:"unfinished,omitzero"`
	Done       int         `json:"done"`
	Failed     int         `json:"failed"`
}

// Difference is the counted cash minus the expected: negative where cash is missing.
func (c Closing) Difference() money.Paise { return c.Counted - c.Expected }

// newClosing makes the closing of a summary. acknowledged are the unfinished operations
// that the user was shown.
func newClosing(k Summary, operator string, counted Count, reason string, acknowledged []op.ID) (Closing, error) {
	c := Closing{
		Day: k.Day, Operator: operator, Opening: k.Opening, Lines: k.Lines, Expected: k.Expected,
		Count: counted, Counted: counted.Total(), Reason: strings.TrimSpace(reason), Done: k.Done, Failed: k.Failed,
	}
	if len(k.UnansweredCash) > 0 {
		return Closing{}, &UnansweredCashError{IDs: IDs(k.UnansweredCash)}
	}
	if len(k.Unfinished) > 0 {
		c.Unfinished = IDs(k.Unfinished)
	}
	unseen := func(id op.ID) bool { return !slices.Contains(acknowledged, id) }
	if slices.ContainsFunc(c.Unfinished, unseen) || len(c.Unfinished) > MaxUnfinished {
		return Closing{}, &UnfinishedError{IDs: c.Unfinished}
	}
	if n := utf8.RuneCountInString(c.Reason); c.Difference() != 0 && n == 0 || n > MaxReason || !utf8.ValidString(c.Reason) {
		return Closing{}, ErrReason
	}
	return c, nil
}

// IDs returns the ids of records.
func IDs(records []edge.Record) []op.ID {
	out := make([]op.ID, len(records))
	for i, r := range records {
		out[i] = r.ID
	}
	return out
}
