package model

// misfortune makes the faults that may strike now; each takes one from what is
// left, where they are counted.
func (h *house) misfortune(s *state) {
	strike := func(k kind, i int, arg uint8, change func(*state)) {
		to := *s
		if h.cfg.Faults >= 0 {
			to.faults--
		}
		change(&to)
		h.add(s, to, step{kind: k, op: uint8(i), arg: arg}, never)
	}
	if !h.cfg.OneName {
		strike(counterCrashed, 0, 0, h.restart)
	}
	if s.link != 0 {
		strike(lineCut, 0, s.link-1, h.cut)
	}
	for n := range uint8(nodes) {
		strike(nodeCrashed, 0, n, func(s *state) { h.crash(s, n) })
	}
	for i := range h.cfg.Operations {
		h.mishap(s, i, strike)
	}
}

// crash ends a node's process: its carriers, its questions and what had
// arrived there are gone.
func (h *house) crash(s *state, n uint8) {
	if s.link == n+1 {
		h.cut(s)
	}
	for i := range h.cfg.Operations {
		o := &s.ops[i]
		for _, p := range []*place{&o.frame, &o.copy, &o.ask} {
			if *p == staleAt(n) {
				*p = nowhere
			}
		}
		if o.owner == n {
			o.carrier = noCarrier
		}
		o.enquiry[n] = notAsking
	}
}

// refuse is a refusal that left no record: it is the last word on the operation
// only if its id can never run, so that the session writes the tombstone first,
// or finds what another copy of the frame has begun.
func (h *house) refuse(o *operation, from *place) {
	here := *from == current
	*from = nowhere
	if o.row >= firstRow && !h.cfg.Faulty.TellRefusals {
		o.open = o.open || here
		return
	}
	if o.row == noRow && !h.cfg.Faulty.TellRefusals {
		o.row, o.promised = forsworn, true
	}
	if here {
		o.mail |= refusal
	}
}

// mishap are the faults that concern one operation.
func (h *house) mishap(s *state, i int, strike func(kind, int, uint8, func(*state))) {
	o := &s.ops[i]
	if o.carrier != noCarrier {
		// A write fails, or the goroutine panics and can't write that either.
		strike(carrierLost, i, o.owner, func(s *state) { s.ops[i].carrier = noCarrier })
	}
	if o.open && h.cfg.Faulty.ForgetQuestion {
		strike(questionLost, i, s.link-1, func(s *state) { s.ops[i].open, s.ops[i].told = false, false })
	}
	if o.carrier == begun {
		strike(dispatchUnknown, i, o.owner, func(s *state) {
			o := &s.ops[i]
			h.dispatch(o, noCarrier)
		})
	}
	if o.frame != nowhere && o.row == noRow && !(h.cfg.OneName && h.taken(s.other(o))) {
		strike(beginUnknown, i, s.at(o.frame), func(s *state) {
			o := &s.ops[i]
			o.row, o.owner = firstRow, s.at(o.frame)
			h.refuse(o, &o.frame)
		})
	}
	for which, from := range []place{o.frame, o.copy} {
		if from == nowhere || !h.cfg.Refusals {
			continue
		}
		strike(refusedBusy, i, s.at(from), func(s *state) {
			o := &s.ops[i]
			h.refuse(o, []*place{&o.frame, &o.copy}[which])
		})
	}
	if o.frame != nowhere && o.copy == nowhere && h.cfg.Duplicates {
		for n := range uint8(nodes) {
			strike(frameDoubled, i, n, func(s *state) { s.ops[i].copy = staleAt(n) })
		}
	}
}
