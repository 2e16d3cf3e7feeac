package central

import (
	"testing"

	"galla/shared/op"
)

func TestEveryStateStepIsLegalOrRefused(t *testing.T) {
	states := []op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused}
	legal := 0
	for _, from := range states {
		for _, to := range states {
			if !CanTransition(from, to) {
				continue
			}
			legal++
			if from.Final() || from == to {
				t.Errorf("%s may become %s", from, to)
			}
		}
	}
	if legal != 9 {
		t.Errorf("%d legal steps, the package comment has 9", legal)
	}
}
