package central

import (
	"slices"

	"galla/shared/op"
)

// transitions are the allowed steps of an operation (operations.md, section 3).
var transitions = map[op.State][]op.State{
	op.Received: {op.Sent, op.Failed, op.Refused},
	op.Sent:     {op.Succeeded, op.Failed, op.Pending},
	op.Pending:  {op.Succeeded, op.Failed, op.Reversed},
}

// CanTransition tells whether an operation may step from one state to another.
func CanTransition(from, to op.State) bool {
	return slices.Contains(transitions[from], to)
}

// StatesBefore gives the states from which an operation may step to the given one:
// the WHERE clause of the store's conditional update.
func StatesBefore(to op.State) []op.State {
	open := []op.State{op.Received, op.Sent, op.Pending}
	return slices.DeleteFunc(open, func(from op.State) bool { return !CanTransition(from, to) })
}
