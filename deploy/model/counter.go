package model

import "galla/shared/op"

// counter makes the steps of the edge for one operation.
func (h *house) counter(s *state, i int) {
	now := s.ops[i].state()
	try := func(k kind, r rank, change func(*state, *operation)) {
		to := *s
		change(&to, &to.ops[i])
		h.add(s, to, step{kind: k, op: uint8(i)}, r)
	}
	switch now {
	case op.Reserved:
		try(captured, rankCounter, func(_ *state, o *operation) { h.become(o, op.Queued) })
		try(givenUp, never, func(_ *state, o *operation) { h.become(o, op.Expired) })
	case op.Queued:
		h.queued(s, try)
	}
	if s.ops[i].giving && now != op.Queued {
		try(frameGiven, rankCounter, func(s *state, o *operation) {
			o.giving = false
			switch {
			case s.link != 0:
				o.frame = current
			case o.state() == op.Sent:
				h.become(o, op.Unknown)
			}
		})
	}
	if s.link == 0 {
		return
	}
	// A question that is still on its way on a broken line counts as lost.
	if o := &s.ops[i]; o.ask != current && !o.open && (now == op.Sent || now == op.Accepted || now == op.Unknown) {
		try(asked, rankAsk, func(_ *state, o *operation) { o.ask = current })
	}
	h.read(s, i, try)
}

// queued are the steps of an operation that was not sent.
func (h *house) queued(s *state, try func(kind, rank, func(*state, *operation))) {
	try(givenUp, rankGiveUp, func(_ *state, o *operation) {
		if !o.giving {
			h.become(o, op.Expired)
		}
	})
	switch {
	case s.link == 0:
	case h.cfg.Faulty.SendBeforeRecord:
		try(frameFirst, rankCounter, func(_ *state, o *operation) {
			if !o.giving {
				o.giving, o.frame = true, current
			}
		})
	default:
		try(recordedSent, rankCounter, func(_ *state, o *operation) {
			h.become(o, op.Sent)
			o.giving = true
		})
	}
	try(recordedLate, rankCounter, func(s *state, o *operation) {
		if o.giving {
			h.become(o, op.Sent)
			o.giving = false
		}
	})
}

// read are the frames that the counter may read next: those of one connection
// in any order, which is more than the line does.
func (h *house) read(s *state, i int, try func(kind, rank, func(*state, *operation))) {
	mail := s.ops[i].mail
	take := func(l letters, k kind, apply func(*operation)) {
		if mail&l != 0 {
			try(k, rankRead, func(_ *state, o *operation) {
				o.mail &^= l
				apply(o)
			})
		}
	}
	take(accepted, readAccepted, func(o *operation) {
		if now := o.state(); now == op.Sent || now == op.Unknown {
			h.become(o, op.Accepted)
		}
	})
	take(unseen, readUnseen, func(o *operation) {
		if now := o.state(); now == op.Sent || now == op.Unknown {
			h.become(o, op.NotSent)
		}
	})
	take(underWay, readPending, func(o *operation) { h.apply(o, op.Pending) })
	take(refusal, readRefusal, func(o *operation) { h.apply(o, op.Failed) })
	take(ended, readOutcome, func(o *operation) { h.apply(o, o.record()) })
	take(eventNews, readEvent, func(o *operation) {
		o.event = false // 'seen' follows; an event that is told twice changes nothing
		h.apply(o, o.record())
	})
}

// apply is edge.applyOutcome: what is final stays.
func (h *house) apply(o *operation, to op.State) {
	if to == op.Refused {
		to = op.NotSent
	}
	if now := o.state(); !now.Final() && now != to {
		h.become(o, to)
	}
}

// connect brings the line up, to either node, with the counter's hello and the
// welcome: what is pending or final is told, what the counter does not know is
// asked for.
func (h *house) connect(s *state) {
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

func (h *house) welcome(o *operation) {
	switch o.state() {
	case op.Sent, op.Accepted, op.Unknown, op.Pending:
	default:
		return
	}
	switch r := o.record(); {
	case r == op.Pending:
		o.mail |= underWay
	case r.Final():
		o.mail |= ended
	case o.state() == op.Pending && !h.cfg.Faulty.NeverAskPending:
		o.ask = current // a stale one was lost, then
	}
}

// cut ends the line: what the counter sent may still arrive, what it was to
// read does not.
func (h *house) cut(s *state) {
	node := s.link - 1
	s.link = 0
	for i := range h.cfg.Operations {
		o := &s.ops[i]
		for _, p := range []*place{&o.frame, &o.copy, &o.ask} {
			if *p == current {
				*p = staleAt(node)
			}
		}
		o.mail, o.open, o.told = 0, false, false
		if o.state() == op.Sent {
			h.become(o, op.Unknown)
		}
	}
}

// restart is a crash of the counter and its start over what is on the disk.
func (h *house) restart(s *state) {
	if s.link != 0 {
		h.cut(s)
	}
	for i := range h.cfg.Operations {
		o := &s.ops[i]
		o.giving = false
		switch o.state() {
		case op.Reserved, op.Queued:
			h.become(o, op.Expired)
		case op.Sent:
			h.become(o, op.Unknown)
		}
	}
}
