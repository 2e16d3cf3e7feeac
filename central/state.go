package central

import "galla/shared/op"

// transitions are the legal steps of an operation at the central.
var transitions = map[op.State][]op.State{
	op.Received:   {op.Dispatched, op.Failed, op.Refused},
	op.Dispatched: {op.Succeeded, op.Failed, op.Pending},
	op.Pending:    {op.Succeeded, op.Failed, op.Reversed},
}

// CanBecome tells whether an operation may step from one state to another.
func CanBecome(from, to op.State) bool {
	for _, s := range transitions[from] {
		if s == to {
			return true
		}
	}
	return false
}

// Origins gives the states from which an operation may step to the given one:
// the WHERE clause of the store's conditional update.
func Origins(to op.State) []op.State {
	var from []op.State
	for _, s := range []op.State{op.Received, op.Dispatched, op.Pending} {
		if CanBecome(s, to) {
			from = append(from, s)
		}
	}
	return from
}
