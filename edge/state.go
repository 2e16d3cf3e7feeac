package edge

import "galla/shared/op"

// outcomes are the states that only the central can tell.
var outcomes = []op.State{op.Succeeded, op.Failed, op.Pending, op.Reversed}

// transitions are the legal steps of an operation at the counter.
var transitions = map[op.State][]op.State{
	op.Reserved: {op.Queued, op.Expired},
	op.Queued:   {op.Sent, op.Expired},
	op.Sent:     append([]op.State{op.Accepted, op.Unknown, op.NotSent}, outcomes...),
	op.Accepted: append([]op.State{op.NotSent}, outcomes...), // not-sent: the central restarted before it sent anything
	op.Unknown:  append([]op.State{op.Accepted, op.NotSent}, outcomes...),
	op.Pending:  {op.Succeeded, op.Failed, op.Reversed, op.NotSent}, // not-sent: what was told pending was only received, and then refused
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
