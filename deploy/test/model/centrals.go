package model

import "galla/shared/op"

// session makes the steps of the centrals' end of the connection.
func (h *explorer) session(s *state, i int) {
	try := func(k kind, r rank, change func(*state, *operation)) {
		to := *s
		change(&to, &to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i)}, r)
	}
	// Frames of a broken connection may arrive; a schedule does not wait for them.
	fair := func(p framePlace) rank {
		if p == current || h.cfg.OneName {
			return rankDeliver
		}
		return never
	}
	from := &s.ops[i]
	if from.frame != nowhere {
		try(frameArrived, fair(from.frame), func(s *state, o *operation) { h.perform(s, o, &o.frame, createSent) })
		try(frameKept, fair(from.frame), func(s *state, o *operation) { h.perform(s, o, &o.frame, createReceived) })
		if h.cfg.Faulty.SendBeforeCreate && from.row == noRow {
			try(sentBeforeCreate, fair(from.frame), func(s *state, o *operation) {
				o.owner, o.execution, o.request[0] = s.at(o.frame), early, true
			})
		}
	}
	if from.copy != nowhere {
		try(copyArrived, fair(from.copy), func(s *state, o *operation) { h.perform(s, o, &o.copy, createSent) })
		try(copyKept, fair(from.copy), func(s *state, o *operation) { h.perform(s, o, &o.copy, createReceived) })
	}
	if from.ask != nowhere {
		try(askArrived, fair(from.ask), h.asked)
	}
	if s.link == 0 {
		return
	}
	if from.open {
		try(outcomeDelivered, rankDeliverOutcome, func(_ *state, o *operation) { h.deliver(o) })
	}
	if from.event && from.messages&eventMessage == 0 {
		try(eventDelivered, rankDeliverOutcome, func(_ *state, o *operation) { o.messages |= eventMessage })
	}
}

// creation is how an operation is recorded.
type creation uint8

const (
	createSent     creation = iota // as sent, in one commit: it goes straight to the bank
	createReceived                 // received: it waits for the agent's authentication, or its deadline has passed
)

// create records an operation under an identity that is new.
func (h *explorer) create(o *operation, node uint8, as creation) {
	sentAlready := o.execution == early
	o.row, o.owner, o.execution = firstRow, node, begun
	if as == createReceived {
		return
	}
	next := committed
	if sentAlready {
		next = waiting
	}
	h.markSent(o, next)
}

// perform begins an operation, or finds that it is known, or that another one has its
// name and the name is not free: then the request is answered from that one.
func (h *explorer) perform(s *state, o *operation, from *framePlace, as creation) {
	here := *from == current
	switch o.row {
	case noRow:
		if h.cfg.OneName && h.recordArrived(s.other(o)) {
			break
		}
		h.create(o, s.at(*from), as)
		fallthrough
	default:
		if here {
			o.messages |= accepted
			o.open, o.reportedPending = true, false
		}
	case tombstone:
		if here {
			o.messages |= refusal
		}
	}
	*from = nowhere
}

// recordArrived reports whether an operation keeps its name from another attempt.
func (h *explorer) recordArrived(o *operation) bool {
	if h.cfg.Faulty.AttemptWhilePending && o.record() == op.Pending {
		return false
	}
	return o.row >= firstRow && !o.free
}

// asked answers a question, or makes the session wait until there is an answer.
func (h *explorer) asked(_ *state, o *operation) {
	here := o.ask == current
	o.ask = nowhere
	if o.row >= firstRow {
		o.open = o.open || here
		return
	}
	if !h.cfg.Faulty.ForgetTombstone {
		o.row = tombstone
	}
	o.tombstoneReported = true
	if here {
		o.messages |= neverSeen
	}
}

// deliver is what a session reports of an operation that it waits for: pending once
// while it is in progress, and then its end.
func (h *explorer) deliver(o *operation) {
	switch r := o.record(); {
	case r.Final():
		o.messages |= outcomeFinal
	case r == op.Pending:
		o.messages |= outcomePending
	case o.reportedPending:
		return
	default:
		o.messages |= outcomePending
		o.reportedPending = true
		return
	}
	o.open, o.reportedPending = false, false
}

// execute makes the steps of the goroutine that executes an operation. Each may take
// any time.
func (h *explorer) execute(s *state, i int) {
	try := func(k kind, r rank, change func(*operation)) {
		to := *s
		change(&to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i)}, r)
	}
	o := &s.ops[i]
	switch o.execution {
	case begun:
		// The caller's deadline passed, or the session ended meanwhile.
		try(refusedLate, never, func(o *operation) { h.abandonExecution(o, op.Refused) })
		try(authFailed, never, func(o *operation) { h.abandonExecution(o, op.Failed) })
		if h.cfg.Faulty.SendBeforeCommit {
			try(sentBeforeCommit, rankExecute, func(o *operation) { o.execution, o.request[0] = early, true })
			return
		}
		try(markedSent, rankExecute, func(o *operation) { h.markSent(o, committed) })
	case early:
		if o.row != noRow { // else its record follows
			try(markedSent, rankExecute, func(o *operation) { h.markSent(o, waiting) })
		}
	case committed:
		try(sent, rankExecute, func(o *operation) { o.execution, o.request[0] = waiting, true })
		try(notSent, never, func(o *operation) { h.abandonExecution(o, op.Failed) })
	case waiting, again:
		h.await(o, try)
	}
}

// abandonExecution writes what ends the execution. If another node was first, it
// changes nothing.
func (h *explorer) abandonExecution(o *operation, to op.State) {
	h.changeCentralState(o, to)
	o.execution = notExecuting
}

func (h *explorer) markSent(o *operation, next execution) {
	if !h.changeCentralState(o, op.Sent) {
		h.abandonExecution(o, op.Refused)
		return
	}
	o.execution, o.window = next, windowOpen
}

// await is the ends of waiting for the bank.
func (h *explorer) await(o *operation, try func(kind, rank, func(*operation))) {
	which := 0
	if o.execution == again {
		which = 1
	}
	silent := rankTimeout
	switch o.books[which] {
	case executed:
		try(approved, rankExecute, func(o *operation) { h.abandonExecution(o, op.Succeeded) })
	case otpRefused:
		try(rejected, rankExecute, func(o *operation) { h.refusedOTP(o); o.execution = notExecuting })
	case declined, reversed:
		try(rejected, rankExecute, func(o *operation) { h.abandonExecution(o, op.Failed) })
	}
	// No answer in time, a broken connection, 'in progress', nonsense.
	try(timedOut, silent, func(o *operation) {
		if h.cfg.Faulty.RetryOnTimeout && o.execution == waiting {
			o.execution, o.request[1] = again, true
			return
		}
		h.abandonExecution(o, op.Pending)
	})
}

// reconcile makes the steps of sweeps and enquiries. A sweep of the code waits until an
// execution has certainly given up. Here it does not, so the model allows more than the
// code does.
func (h *explorer) reconcile(s *state, i int) {
	try := func(k kind, node int, r rank, change func(*operation)) {
		to := *s
		change(&to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i), arg: uint8(node)}, r)
	}
	o := &s.ops[i]
	switch o.record() {
	case op.Received, op.Sent:
		try(foundUnfinished, 0, rankSweep, func(o *operation) {
			if !h.changeCentralState(o, op.Refused) {
				h.changeCentralState(o, op.Pending)
			}
		})
	}
	for n, q := range o.enquiry {
		switch {
		case q == notAsking && o.record() == op.Pending:
			try(enquired, n, rankEnquire, func(o *operation) {
				o.enquiry[n] = askedBefore
				if o.window == windowPast {
					o.enquiry[n] = askedAfter
				}
			})
		case q == askedBefore || q == askedAfter:
			try(heardBank, n, rankReadOutcome, func(o *operation) { h.readOutcome(o, n) })
		case q == heardAbsent:
			try(judgedAbsent, n, rankReadOutcome, func(o *operation) {
				o.enquiry[n] = notAsking
				if o.window == windowPast {
					h.changeCentralState(o, op.Failed)
				}
			})
		}
	}
}

// readOutcome is the bank's answer to an enquiry, and what a central writes of it. A
// final answer stays true, so it does not matter when it is written. 'Not found' does
// not.
func (h *explorer) readOutcome(o *operation, n int) {
	asked := o.enquiry[n]
	o.enquiry[n] = notAsking
	switch o.books[0] {
	case executed:
		h.changeCentralState(o, op.Succeeded)
	case declined:
		h.changeCentralState(o, op.Failed)
	case otpRefused:
		h.refusedOTP(o)
	case reversed:
		h.changeCentralState(o, op.Reversed)
	case absent:
		switch {
		case h.cfg.Faulty.BelieveNotFound, asked == askedAfter:
			h.changeCentralState(o, op.Failed)
		case h.cfg.Faulty.JudgeAnswerLate:
			o.enquiry[n] = heardAbsent
		}
	}
}

// refusedOTP writes the bank's final answer that the OTP was wrong, and frees the name.
func (h *explorer) refusedOTP(o *operation) {
	if h.changeCentralState(o, op.Failed) {
		o.free = true
	}
}

// bank makes the steps of the bank, and of the clock.
func (h *explorer) bank(s *state, i int) {
	try := func(k kind, r rank, change func(*operation)) {
		to := *s
		change(&to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i)}, r)
	}
	o := &s.ops[i]
	for j := range o.books {
		if o.request[j] {
			try(requestArrived, rankBank, func(o *operation) {
				o.request[j] = false
				if o.window == windowOpen || j == 1 || h.cfg.Faulty.LateStart {
					o.books[j] = running
				}
			})
		}
		if o.books[j] == running {
			try(bankExecuted, rankBank, func(o *operation) { o.books[j] = executed })
			try(bankDeclined, never, func(o *operation) { o.books[j] = declined })
			if h.cfg.OneName {
				try(bankRefused, never, func(o *operation) { o.books[j] = otpRefused })
			}
			try(bankReversed, never, func(o *operation) { o.books[j] = reversed })
		}
	}
	if r := o.record(); o.window < windowPast && (r == op.Sent || r == op.Pending) {
		try(timePassed, rankTime, func(o *operation) { o.window++ })
	}
}
