package central

import (
	"testing"

	"galla/shared/op"
)

func TestEveryStateStepIsLegalOrRefused(t *testing.T) {
	states := []op.State{op.Received, op.Dispatched, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused}
	legal := 0
	for _, from := range states {
		for _, to := range states {
			if !CanBecome(from, to) {
				continue
			}
			legal++
			if from.Final() || from == to {
				t.Errorf("%s may become %s", from, to)
			}
		}
	}
	if legal != 9 {
		t.Errorf("%d legal steps, the drawing has 9", legal)
	}
}
