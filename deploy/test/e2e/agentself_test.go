//go:build linux

package e2e

import (
	"net/http"
	"testing"

	"galla/edge"
	"galla/edge/outcome"
	"galla/shared/op"
)

// TestFinalAtCounter checks that an operation's record is final exactly when the agent
// of these tests takes its page for final. Otherwise the agent waits too long, or stops
// too early.
func TestFinalAtCounter(t *testing.T) {
	states := []op.State{
		op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Pending,
		op.Succeeded, op.Failed, op.Reversed, op.Expired, op.NotSent,
	}
	for _, state := range states {
		for _, status := range []int{0, http.StatusOK, http.StatusUnprocessableEntity, http.StatusBadGateway} {
			for _, code := range []string{"", "U1"} {
				v := edge.View{Record: edge.Record{Route: op.Withdrawal, State: state, HTTP: status, Result: edge.Result{Code: code}}}
				page := outcome.CaseOf(v, edge.LinkState{Online: true})
				if got := finalAtCounter(page); got != state.Final() {
					t.Errorf("%s, HTTP %d, the bank's code %q: the page says %q, taken for the last: %v", state, status, code, page, got)
				}
			}
		}
	}
}
