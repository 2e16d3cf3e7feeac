package central

import (
	"slices"

	"galla/shared/op"
)

// transitions are the legal steps of an operation at the central.
var transitions = map[op.State][]op.State{
	op.Received:   {op.Dispatched, op.Failed, op.Refused},
	op.Dispatched: {op.Succeeded, op.Failed, op.Pending},
	op.Pending:    {op.Succeeded, op.Failed, op.Reversed},
}

// CanBecome tells whether an operation may step from one state to another.
func CanBecome(from, to op.State) bool {
	return slices.Contains(transitions[from], to)
}

// Origins gives the states from which an operation may step to the given one:
// the WHERE clause of the store's conditional update.
func Origins(to op.State) []op.State {
	open := []op.State{op.Received, op.Dispatched, op.Pending}
	return slices.DeleteFunc(open, func(from op.State) bool { return !CanBecome(from, to) })
}
