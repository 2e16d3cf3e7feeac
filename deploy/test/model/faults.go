package model

// applyFaults makes the faults that may happen now; each takes one from the number
// left, if it is bounded.
func (h *explorer) applyFaults(s *state) {
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
		h.addFault(s, i, strike)
	}
}

// crash ends a node's process: its executions, its questions and the frames that had
// arrived there are gone.
func (h *explorer) crash(s *state, n uint8) {
	if s.link == n+1 {
		h.cut(s)
	}
	for i := range h.cfg.Operations {
		o := &s.ops[i]
		for _, p := range []*framePlace{&o.frame, &o.copy, &o.ask} {
			if *p == staleAt(n) {
				*p = nowhere
			}
		}
		if o.owner == n {
			o.execution = notExecuting
		}
		o.enquiry[n] = notAsking
	}
}

// refuse is a refusal without a record. It is final for the operation only if its id
// can never run, so the session writes the tombstone first, or finds what another copy
// of the frame has begun.
func (h *explorer) refuse(o *operation, from *framePlace) {
	here := *from == current
	*from = nowhere
	if o.row >= firstRow && !h.cfg.Faulty.ReportRefusals {
		o.open = o.open || here
		return
	}
	if o.row == noRow && !h.cfg.Faulty.ReportRefusals {
		o.row, o.tombstoneReported = tombstone, true
	}
	if here {
		o.messages |= refusal
	}
}

// addFault are the faults that concern one operation.
func (h *explorer) addFault(s *state, i int, strike func(kind, int, uint8, func(*state))) {
	o := &s.ops[i]
	if o.execution != notExecuting {
		// A write fails, or the goroutine panics and can't write that either.
		strike(executionLost, i, o.owner, func(s *state) { s.ops[i].execution = notExecuting })
	}
	if o.open && h.cfg.Faulty.ForgetQuestion {
		strike(questionLost, i, s.link-1, func(s *state) { s.ops[i].open, s.ops[i].reportedPending = false, false })
	}
	if o.execution == begun {
		strike(markSentUnknown, i, o.owner, func(s *state) {
			o := &s.ops[i]
			h.markSent(o, notExecuting)
		})
	}
	if o.frame != nowhere && o.row == noRow && !(h.cfg.OneName && h.recordArrived(s.other(o))) {
		for as, k := range [...]kind{createSent: createUnknown, createReceived: keepUnknown} {
			strike(k, i, s.at(o.frame), func(s *state) {
				o := &s.ops[i]
				h.create(o, s.at(o.frame), creation(as))
				o.execution = notExecuting
				h.refuse(o, &o.frame)
			})
		}
	}
	for which, from := range []framePlace{o.frame, o.copy} {
		if from == nowhere || !h.cfg.Refusals {
			continue
		}
		strike(refusedBusy, i, s.at(from), func(s *state) {
			o := &s.ops[i]
			h.refuse(o, []*framePlace{&o.frame, &o.copy}[which])
		})
	}
	if o.frame != nowhere && o.copy == nowhere && h.cfg.Duplicates {
		for n := range uint8(nodes) {
			strike(frameDoubled, i, n, func(s *state) { s.ops[i].copy = staleAt(n) })
		}
	}
}
