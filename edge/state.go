package edge

import "galla/shared/op"

// outcomes are the states that only the central can tell.
var outcomes = []op.State{op.Succeeded, op.Failed, op.Pending, op.Reversed}

// transitions are the legal steps of an operation at the counter.
var transitions = map[op.State][]op.State{
	op.Reserved: {op.Queued, op.Expired},
	op.Queued:   {op.Sent, op.Expired},
	op.Sent:     append([]op.State{op.Accepted, op.Unknown, op.NotSent}, outcomes...),
	op.Accepted: append([]op.State{op.Unknown, op.NotSent}, outcomes...), // not-sent: it restarted before it sent anything
	op.Unknown:  append([]op.State{op.Accepted, op.NotSent}, outcomes...),
	op.Pending:  {op.Succeeded, op.Failed, op.Reversed},
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
