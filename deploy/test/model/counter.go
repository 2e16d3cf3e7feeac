package model

import "galla/shared/op"

// counter makes the steps of the edge for one operation.
func (h *explorer) counter(s *state, i int) {
	now := s.ops[i].state()
	try := func(k kind, r rank, change func(*state, *operation)) {
		to := *s
		change(&to, &to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i)}, r)
	}
	switch now {
	case op.Reserved:
		try(captured, rankCounter, func(_ *state, o *operation) { h.changeEdgeState(o, op.Queued) })
		if s.link != 0 && !h.cfg.Faulty.SendBeforeRecord { // queued and sent in one commit
			try(recordedSent, rankCounter, func(_ *state, o *operation) {
				h.changeEdgeState(o, op.Sent)
				o.framePending = true
			})
		}
		try(abandoned, never, func(_ *state, o *operation) { h.changeEdgeState(o, op.Expired) })
	case op.Queued:
		h.queued(s, try)
	}
	if s.ops[i].framePending && now != op.Queued {
		try(frameGiven, rankCounter, func(s *state, o *operation) {
			o.framePending = false
			switch {
			case s.link != 0:
				o.frame = current
			case o.state() == op.Sent:
				h.changeEdgeState(o, op.Unknown)
			}
		})
	}
	if s.link == 0 {
		return
	}
	// A question that is still in transit on a broken connection counts as lost.
	if o := &s.ops[i]; o.ask != current && !o.open && (now == op.Sent || now == op.Accepted || now == op.Unknown) {
		try(asked, rankAsk, func(_ *state, o *operation) { o.ask = current })
	}
	h.read(s, i, try)
}

// queued are the steps of an operation that was not sent.
func (h *explorer) queued(s *state, try func(kind, rank, func(*state, *operation))) {
	try(abandoned, rankGiveUp, func(_ *state, o *operation) {
		if !o.framePending {
			h.changeEdgeState(o, op.Expired)
		}
	})
	switch {
	case s.link == 0:
	case h.cfg.Faulty.SendBeforeRecord:
		try(frameFirst, rankCounter, func(_ *state, o *operation) {
			if !o.framePending {
				o.framePending, o.frame = true, current
			}
		})
	default:
		try(recordedSent, rankCounter, func(_ *state, o *operation) {
			h.changeEdgeState(o, op.Sent)
			o.framePending = true
		})
	}
	try(recordedLate, rankCounter, func(s *state, o *operation) {
		if o.framePending {
			h.changeEdgeState(o, op.Sent)
			o.framePending = false
		}
	})
}

// read is the frames that the counter may read next: those of one connection in any
// order. The real connection keeps their order.
func (h *explorer) read(s *state, i int, try func(kind, rank, func(*state, *operation))) {
	mail := s.ops[i].messages
	take := func(l messages, k kind, apply func(*operation)) {
		if mail&l != 0 {
			try(k, rankRead, func(_ *state, o *operation) {
				o.messages &^= l
				apply(o)
			})
		}
	}
	take(accepted, readAccepted, func(o *operation) {
		if now := o.state(); now == op.Sent || now == op.Unknown {
			h.changeEdgeState(o, op.Accepted)
		}
	})
	take(neverSeen, readUnseen, func(o *operation) {
		if now := o.state(); now == op.Sent || now == op.Unknown {
			h.changeEdgeState(o, op.NotSent)
		}
	})
	take(outcomePending, readPending, func(o *operation) { h.apply(o, op.Pending) })
	take(refusal, readRefusal, func(o *operation) { h.apply(o, op.Failed) })
	take(outcomeFinal, readOutcome, func(o *operation) { h.apply(o, o.record()) })
	take(eventMessage, readEvent, func(o *operation) {
		o.event = false // 'seen' follows; a repeated event changes nothing
		h.apply(o, o.record())
	})
}

// apply is edge.applyOutcome: a final state stays.
func (h *explorer) apply(o *operation, to op.State) {
	if to == op.Refused {
		to = op.NotSent
	}
	if now := o.state(); !now.Final() && now != to {
		h.changeEdgeState(o, to)
	}
}

// connect connects to either node, with the counter's hello and the welcome: operations
// that are pending or final are reported, and the counter asks for those that it does
// not know.
func (h *explorer) connect(s *state) {
	unfinished := false
	for i := range h.cfg.Operations {
		unfinished = unfinished || !s.ops[i].state().Final()
	}
	if s.link != 0 {
		return
	}
	r := rankConnect
	if !unfinished {
		r = never
	}
	for n := range uint8(nodes) {
		to := *s
		to.link = n + 1
		for i := range h.cfg.Operations {
			h.welcome(&to.ops[i])
		}
		h.add(s, to, step{kind: connected, arg: n}, r)
	}
}

func (h *explorer) welcome(o *operation) {
	switch o.state() {
	case op.Sent, op.Accepted, op.Unknown, op.Pending:
	default:
		return
	}
	switch r := o.record(); {
	case r == op.Pending:
		o.messages |= outcomePending
	case r.Final():
		o.messages |= outcomeFinal
	case o.state() == op.Pending && !h.cfg.Faulty.NeverAskPending:
		o.ask = current // a stale one was lost, then
	}
}

// cut ends the connection: what the counter sent may still arrive, what it was about to
// read does not.
func (h *explorer) cut(s *state) {
	node := s.link - 1
	s.link = 0
	for i := range h.cfg.Operations {
		o := &s.ops[i]
		for _, p := range []*framePlace{&o.frame, &o.copy, &o.ask} {
			if *p == current {
				*p = staleAt(node)
			}
		}
		o.messages, o.open, o.reportedPending = 0, false, false
		if o.state() == op.Sent {
			h.changeEdgeState(o, op.Unknown)
		}
	}
}

// restart is a crash of the counter and its start with what is on the disk.
func (h *explorer) restart(s *state) {
	if s.link != 0 {
		h.cut(s)
	}
	for i := range h.cfg.Operations {
		o := &s.ops[i]
		o.framePending = false
		switch o.state() {
		case op.Reserved, op.Queued:
			h.changeEdgeState(o, op.Expired)
		case op.Sent:
			h.changeEdgeState(o, op.Unknown)
		}
	}
}
