package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
)

// TestStepsInCode walks every pair of states through the methods, as
// TestStatesInSQL does past them: what central.CanBecome does not allow is
// ErrState, and neither the record nor its history changes.
func TestStepsInCode(t *testing.T) {
	s := openSeeded(t, testConfig())
	for _, from := range allStates {
		for _, to := range allStates[1:] { // no method steps to received
			o := inState(t, s, from)
			steps, err := s.History(background, o.ID)
			wantErr(t, "read the history", err, nil)
			err = takeStep(s, o.ID, to)
			legal := central.CanTransition(from, to)
			if legal != (err == nil) || !legal && !errors.Is(err, central.ErrState) {
				t.Errorf("%s to %s: the table says %v, the method %v", from, to, legal, err)
			}
			if legal {
				continue
			}
			now, err := s.Operation(background, o.ID)
			wantErr(t, "read the operation", err, nil)
			after, err := s.History(background, o.ID)
			wantErr(t, "read the history", err, nil)
			if now.State != from || !now.FinishedAt.Equal(o.FinishedAt) || !slices.Equal(steps, after) {
				t.Errorf("%s to %s was refused, and left %s with %d steps instead of %d", from, to, now.State, len(after), len(steps))
			}
		}
	}
}

// takeStep calls the method that steps to a state.
func takeStep(s *DB, id op.ID, to op.State) error {
	at := t0.Add(time.Hour)
	var err error
	switch to {
	case op.Sent:
		err = s.MarkSent(background, central.SentUpdate{ID: id, At: at, BankNotAfter: at.Add(time.Second)})
	case op.Pending:
		_, err = s.MarkPending(background, central.PendingUpdate{ID: id, At: at, Reason: "no answer", Prefix: "S-", NextEnquiry: at.Add(time.Second)})
	default:
		_, err = finish(s, central.FinalOutcome{ID: id, To: to, At: at, Reason: "the bank's word", HTTP: 200, Reply: []byte("{}")})
	}
	return err
}
