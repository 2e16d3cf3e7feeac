package model

import "galla/shared/op"

// session makes the steps of the centrals' end of the line.
func (h *house) session(s *state, i int) {
	try := func(k kind, r rank, change func(*state, *operation)) {
		to := *s
		change(&to, &to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i)}, r)
	}
	// Frames of a broken line may be delivered; a schedule does not wait for them.
	fair := func(p place) rank {
		if p == current || h.cfg.OneName {
			return rankDeliver
		}
		return never
	}
	from := &s.ops[i]
	if from.frame != nowhere {
		try(frameArrived, fair(from.frame), func(s *state, o *operation) { h.perform(s, o, &o.frame) })
	}
	if from.copy != nowhere {
		try(copyArrived, fair(from.copy), func(s *state, o *operation) { h.perform(s, o, &o.copy) })
	}
	if from.ask != nowhere {
		try(askArrived, fair(from.ask), h.asked)
	}
	if s.link == 0 {
		return
	}
	if from.open {
		try(toldOutcome, rankTell, func(_ *state, o *operation) { h.tell(o) })
	}
	if from.event && from.mail&eventNews == 0 {
		try(toldEvent, rankTell, func(_ *state, o *operation) { o.mail |= eventNews })
	}
}

// perform begins an operation, or finds that it is known, or that its name is
// another's and not free: then the call is answered from that one.
func (h *house) perform(s *state, o *operation, from *place) {
	here := *from == current
	switch o.row {
	case noRow:
		if h.cfg.OneName && h.taken(s.other(o)) {
			break
		}
		o.row, o.owner, o.carrier = firstRow, s.at(*from), begun
		fallthrough
	default:
		if here {
			o.mail |= accepted
			o.open, o.told = true, false
		}
	case forsworn:
		if here {
			o.mail |= refusal
		}
	}
	*from = nowhere
}

// taken tells whether an operation keeps its name from another attempt.
func (h *house) taken(o *operation) bool {
	if h.cfg.Faulty.AttemptWhilePending && o.record() == op.Pending {
		return false
	}
	return o.row >= firstRow && !o.free
}

// asked answers a question, or has the session look until there is an answer.
func (h *house) asked(_ *state, o *operation) {
	here := o.ask == current
	o.ask = nowhere
	if o.row >= firstRow {
		o.open = o.open || here
		return
	}
	if !h.cfg.Faulty.ForgetTombstone {
		o.row = forsworn
	}
	o.promised = true
	if here {
		o.mail |= unseen
	}
}

// tell is what a session says of an operation that it waits for: pending once
// while it is under way, and then its end.
func (h *house) tell(o *operation) {
	switch r := o.record(); {
	case r.Final():
		o.mail |= ended
	case r == op.Pending:
		o.mail |= underWay
	case o.told:
		return
	default:
		o.mail |= underWay
		o.told = true
		return
	}
	o.open, o.told = false, false
}

// carry makes the steps of an operation's carrier, which may be as slow as it
// likes at each.
func (h *house) carry(s *state, i int) {
	try := func(k kind, r rank, change func(*operation)) {
		to := *s
		change(&to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i)}, r)
	}
	o := &s.ops[i]
	switch o.carrier {
	case begun:
		// The caller's deadline passed, or the session ended meanwhile.
		try(refusedLate, never, func(o *operation) { h.leave(o, op.Refused) })
		try(authFailed, never, func(o *operation) { h.leave(o, op.Failed) })
		if h.cfg.Faulty.DispatchBeforeCommit {
			try(sentEarly, rankCarry, func(o *operation) { o.carrier, o.request[0] = early, true })
			return
		}
		try(dispatched, rankCarry, func(o *operation) { h.dispatch(o, committed) })
	case early:
		try(dispatched, rankCarry, func(o *operation) { h.dispatch(o, waiting) })
	case committed:
		try(sent, rankCarry, func(o *operation) { o.carrier, o.request[0] = waiting, true })
		try(notSent, never, func(o *operation) { h.leave(o, op.Failed) })
	case waiting, again:
		h.await(o, try)
	}
}

// leave writes what ends the carrier's work; where somebody else was first, it
// changes nothing.
func (h *house) leave(o *operation, to op.State) {
	h.settle(o, to)
	o.carrier = noCarrier
}

func (h *house) dispatch(o *operation, next carrier) {
	if !h.settle(o, op.Dispatched) {
		h.leave(o, op.Refused)
		return
	}
	o.carrier, o.window = next, windowOpen
}

// await are the ends of waiting for the bank.
func (h *house) await(o *operation, try func(kind, rank, func(*operation))) {
	which := 0
	if o.carrier == again {
		which = 1
	}
	silent := rankTimeout
	switch o.books[which] {
	case executed:
		try(approved, rankCarry, func(o *operation) { h.leave(o, op.Succeeded) })
	case otpRefused:
		try(rejected, rankCarry, func(o *operation) { h.refusedOTP(o); o.carrier = noCarrier })
	case declined, reversed:
		try(rejected, rankCarry, func(o *operation) { h.leave(o, op.Failed) })
	}
	// No answer in time, a broken connection, 'in progress', nonsense.
	try(timedOut, silent, func(o *operation) {
		if h.cfg.Faulty.RetryOnTimeout && o.carrier == waiting {
			o.carrier, o.request[1] = again, true
			return
		}
		h.leave(o, op.Pending)
	})
}

// reconcile makes the steps of sweeps and enquiries. A sweep of the code waits
// until a carrier has certainly given up; here it does not, which is more than
// can happen.
func (h *house) reconcile(s *state, i int) {
	try := func(k kind, node int, r rank, change func(*operation)) {
		to := *s
		change(&to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i), arg: uint8(node)}, r)
	}
	o := &s.ops[i]
	switch o.record() {
	case op.Received, op.Dispatched:
		try(swept, 0, rankSweep, func(o *operation) {
			if !h.settle(o, op.Refused) {
				h.settle(o, op.Pending)
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
			try(looked, n, rankLook, func(o *operation) { h.look(o, n) })
		case q == heardAbsent:
			try(judged, n, rankLook, func(o *operation) {
				o.enquiry[n] = notAsking
				if o.window == windowPast {
					h.settle(o, op.Failed)
				}
			})
		}
	}
}

// look is the bank's answer to an enquiry, and what a central writes of it. A
// word that is final stays true, so that it makes no difference when it is
// written; 'not found' is another matter.
func (h *house) look(o *operation, n int) {
	asked := o.enquiry[n]
	o.enquiry[n] = notAsking
	switch o.books[0] {
	case executed:
		h.settle(o, op.Succeeded)
	case declined:
		h.settle(o, op.Failed)
	case otpRefused:
		h.refusedOTP(o)
	case reversed:
		h.settle(o, op.Reversed)
	case absent:
		switch {
		case h.cfg.Faulty.BelieveNotFound, asked == askedAfter:
			h.settle(o, op.Failed)
		case h.cfg.Faulty.JudgeAnswerLate:
			o.enquiry[n] = heardAbsent
		}
	}
}

// refusedOTP writes the bank's final word that the OTP was wrong, and frees the
// name with it.
func (h *house) refusedOTP(o *operation) {
	if h.settle(o, op.Failed) {
		o.free = true
	}
}

// bank makes the steps of the bank, and of the clock.
func (h *house) bank(s *state, i int) {
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
	if r := o.record(); o.window < windowPast && (r == op.Dispatched || r == op.Pending) {
		try(timePassed, rankTime, func(o *operation) { o.window++ })
	}
}
