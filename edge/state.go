package edge

import (
	"slices"

	"galla/shared/op"
)

// The states of an operation at the counter:
//
//	   ┌─────(online)────────┐
//	reserved ──► queued ──► sent ──► accepted ──► succeeded | failed | pending
//	   │           │         │                                          │
//	   │           │         └─(offline)─► unknown ──(ask)──► any of the above, or not-sent
//	   │           │                                                    │
//	   └───────────┴──► expired                 pending ──(event)──► succeeded | failed | reversed,
//	                                                      or not-sent
//
//   - reserved: the id is on disk, the fingerprint is being captured.
//   - queued: the capture or the OTP is in memory, the rest is on disk, nothing
//     was sent. Operations without a fingerprint start here. Where a captured
//     operation can be sent at once, one commit marks it sent.
//   - expired: the deadline passed, or the agent cancelled, before the operation
//     was sent. No money moved.
//   - unknown: the connection broke after the operation was sent. The counter
//     asks for the outcome.
//   - not-sent: the central refused the operation before it sent anything to the
//     bank, or never received it and holds a tombstone for it. No money moved.

// outcomes are the states that only the central reports.
var outcomes = []op.State{op.Succeeded, op.Failed, op.Pending, op.Reversed}

// transitions are the legal steps of an operation at the counter. A slow
// central may report pending for an operation that it only received, and refuse
// it later: pending may become not-sent.
var transitions = map[op.State][]op.State{
	op.Reserved: {op.Queued, op.Sent, op.Expired}, // sent: queued and sent in one commit
	op.Queued:   {op.Sent, op.Expired},
	op.Sent:     append([]op.State{op.Accepted, op.Unknown, op.NotSent}, outcomes...),
	op.Accepted: append([]op.State{op.NotSent}, outcomes...), // not-sent: the central restarted before it sent anything
	op.Unknown:  append([]op.State{op.Accepted, op.NotSent}, outcomes...),
	op.Pending:  {op.Succeeded, op.Failed, op.Reversed, op.NotSent},
}

// CanBecome reports whether an operation may change from one state to another.
func CanBecome(from, to op.State) bool { return slices.Contains(transitions[from], to) }
