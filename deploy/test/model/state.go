package model

import "galla/shared/op"

// maxOperations is how many operations a packed state can hold.
const maxOperations = 2

// nodes is how many centrals share the database.
const nodes = 2

// framePlace is where a frame of the counter is.
type framePlace uint8

const (
	nowhere framePlace = iota
	current            // on the connection that is up
	stale              // on a broken connection to node 0, still to arrive; +1: to node 1
)

func staleAt(node uint8) framePlace { return stale + framePlace(node) }

// messages are the frames on their way to the counter about one operation.
type messages uint8

const (
	accepted       messages = 1 << iota
	neverSeen               // never seen, and refused from now on
	outcomePending          // outcome: pending
	outcomeFinal            // outcome: the final state of the record
	refusal                 // outcome: failed, and nothing was recorded
	eventMessage            // event: the final state of the record
)

// execution is the progress of the goroutine that takes an operation to the bank.
type execution uint8

const (
	notExecuting execution = iota
	begun                  // the record is committed
	committed              // sent is committed, nothing was sent
	waiting                // the request was sent
	again                  // a second request was sent (RetryOnTimeout)
	early                  // the request was sent, and the state sent is not committed (SendBeforeCommit, SendBeforeCreate)
)

// enquiry is the progress of a node's question to the bank.
type enquiry uint8

const (
	notAsking   enquiry = iota
	askedBefore         // asked when the bank could still start the request
	askedAfter          // asked when the deadline and the margin had passed
	heardAbsent         // the bank had not seen it (only with JudgeAnswerLate)
)

// window is what time allows for a request to the bank.
type window uint8

const (
	windowOpen window = iota // the bank may start it
	windowShut               // it may not
	windowPast               // and the margin has passed: a central may trust 'not found'
)

// books is what the bank has of one request.
type books uint8

const (
	absent books = iota
	running
	executed
	declined
	reversed   // debited and given back
	otpRefused // declined for its OTP
)

// row is what the database has of an identity: nothing, a tombstone, or an operation in
// a state of the central.
type row uint8

const (
	noRow row = iota
	tombstone
	firstRow // op.Received; the others follow in the order of centralStates
)

// centralStates are the states of the central, in the order of row.
var centralStates = [...]op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused}

// edgeStates are the states of the counter, in the order of operation.disk.
var edgeStates = [...]op.State{
	op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Expired, op.NotSent,
	op.Pending, op.Succeeded, op.Failed, op.Reversed,
}

// operation is everything that any part of the system has of one operation.
type operation struct {
	disk         uint8 // the counter's state, an index of edgeStates
	framePending bool  // the counter has the frame in memory: recorded as sent and not given to the connection, or the other way round (SendBeforeRecord)

	frame    framePlace // the op frame
	copy     framePlace // the same frame once more
	ask      framePlace
	messages messages

	open            bool // the current session will report its outcome
	reportedPending bool // and has reported 'pending' meanwhile

	row               row
	owner             uint8 // the node that began it
	event             bool  // the row of the event for the terminal
	tombstoneReported bool  // it was reported 'never seen'
	free              bool  // its record is failed, for its OTP: the name is free

	window    window
	execution execution
	enquiry   [nodes]enquiry

	request [2]bool // in transit to the bank
	books   [2]books
}

// state is the whole system.
type state struct {
	ops    [maxOperations]operation
	link   uint8 // 0: not connected; otherwise the connected node, plus one
	faults uint8 // that may still happen
}

func (o *operation) state() op.State { return edgeStates[o.disk] }

// record gives the state of the record; "" where there is none.
func (o *operation) record() op.State {
	if o.row < firstRow {
		return ""
	}
	return centralStates[o.row-firstRow]
}

// other gives the other operation.
func (s *state) other(o *operation) *operation {
	if o == &s.ops[0] {
		return &s.ops[1]
	}
	return &s.ops[0]
}

// at gives the node that a frame arrives at.
func (s *state) at(p framePlace) uint8 {
	if p == current {
		return s.link - 1
	}
	return uint8(p - stale)
}

// key is a state in few bits.
type key [maxOperations]uint64

type packer struct {
	v uint64
	n uint
}

func (p *packer) put(v uint8, bits uint) {
	p.v |= uint64(v) << p.n
	p.n += bits
}

func (p *packer) flag(v bool) {
	if v {
		p.v |= 1 << p.n
	}
	p.n++
}

func (p *packer) get(bits uint) uint8 {
	v := p.v & (1<<bits - 1)
	p.v >>= bits
	return uint8(v)
}

func (p *packer) is() bool { return p.get(1) == 1 }

func (s *state) pack() key {
	var k key
	for i := range s.ops {
		o := &s.ops[i]
		var p packer
		p.put(o.disk, 4)
		p.flag(o.framePending)
		p.put(uint8(o.frame), 2)
		p.put(uint8(o.copy), 2)
		p.put(uint8(o.ask), 2)
		p.put(uint8(o.messages), 6)
		p.flag(o.open)
		p.flag(o.reportedPending)
		p.put(uint8(o.row), 4)
		p.put(o.owner, 1)
		p.flag(o.event)
		p.flag(o.tombstoneReported)
		p.flag(o.free)
		p.put(uint8(o.window), 2)
		p.put(uint8(o.execution), 3)
		for _, q := range o.enquiry {
			p.put(uint8(q), 2)
		}
		for j := range o.books {
			p.flag(o.request[j])
			p.put(uint8(o.books[j]), 3)
		}
		if i == 0 {
			p.put(s.link, 2)
			p.put(s.faults, 4)
		}
		k[i] = p.v
	}
	return k
}

func unpack(k key) state {
	var s state
	for i := range s.ops {
		o := &s.ops[i]
		p := packer{v: k[i]}
		o.disk = p.get(4)
		o.framePending = p.is()
		o.frame, o.copy, o.ask = framePlace(p.get(2)), framePlace(p.get(2)), framePlace(p.get(2))
		o.messages = messages(p.get(6))
		o.open, o.reportedPending = p.is(), p.is()
		o.row, o.owner = row(p.get(4)), p.get(1)
		o.event, o.tombstoneReported = p.is(), p.is()
		o.free = p.is()
		o.window, o.execution = window(p.get(2)), execution(p.get(3))
		for n := range o.enquiry {
			o.enquiry[n] = enquiry(p.get(2))
		}
		for j := range o.books {
			o.request[j], o.books[j] = p.is(), books(p.get(3))
		}
		if i == 0 {
			s.link, s.faults = p.get(2), p.get(4)
		}
	}
	return s
}
