package model

// maxCounters is how many counters of one shop a packed state can hold.
const maxCounters = 2

// report is what the bank's network owes the central of one thing that happened.
type report uint8

const (
	nothingOwed report = iota
	owed               // it is sent until it is confirmed
	confirmed
	givenUp // it is never sent again
)

// stage is the progress of a node that records what it heard of the payment.
type stage uint8

const (
	idle            stage = iota
	foundNone             // it looked, and nothing was recorded
	foundUnreturned       // it looked, and the payment was recorded, its return was not
	recordedPay           // the payment is committed; the sessions are not woken yet
	recordedReturn        // the return is
	recordedAll           // everything is recorded; the network does not know yet
)

// hearing is what one node works on: the payment as it was told, perhaps long ago.
type hearing struct {
	stage    stage
	returned bool // it was told with its return
	enquired bool // the node asked for it; else it was reported
}

// shopCounter is one counter of the shop, with its session. Of a payment there are two
// events: 1 is the payment's, 2 its return's.
type shopCounter struct {
	stored    [2]bool // on its disk, which its pages show
	cursor    uint8   // on its disk: the last event that it has applied
	late      [2]bool // in its memory, still to be stored (SeenBeforeStored)
	forgotten uint8   // events up to here are deleted at the central

	linked bool
	newest uint8 // the last event that its session knows of
	sent   uint8 // the last event that its session has sent
}

// payment is everything that any part of the system has of one payment by UPI.
type payment struct {
	books   uint8     // 0: nobody paid, 1: paid, 2: paid and returned
	reports [2]report // of the payment, and of its return

	recorded [2]uint8 // how often: the payment, its return
	events   uint8    // that were written for each counter
	asked    uint8    // up to which of the books the enquiry is done
	nodes    [nodes]hearing
	counters [maxCounters]shopCounter

	faults uint8 // that may still happen
}

// paymentExplorer makes the steps of a payment: the bank reports it, at least once and in any
// order; a node records it and tells the counters; an enquiry finds what no report told.
type paymentExplorer struct {
	cfg       Config
	generated []arrow
}

func (h *paymentExplorer) start() key {
	return (&payment{faults: uint8(max(h.cfg.Faults, 0))}).pack()
}

// add keeps a step, unless it changes nothing. The nodes are alike: it does not matter which
// of them does what.
func (h *paymentExplorer) add(from *payment, k kind, op, arg int, r rank, change func(*payment)) {
	to := *from
	change(&to)
	if to == *from {
		return
	}
	if a, b := &to.nodes[0], &to.nodes[1]; a.bits() > b.bits() {
		*a, *b = *b, *a
	}
	h.generated = append(h.generated, arrow{step{kind: k, op: uint8(op), arg: uint8(arg)}, to.pack(), r, ""})
}

func (h *paymentExplorer) next(k key) []arrow {
	s := unpackPayment(k)
	h.generated = h.generated[:0]
	h.network(&s)
	for n := range s.nodes {
		h.record(&s, n)
	}
	for i := range h.cfg.Operations {
		h.feed(&s, i)
	}
	if s.faults > 0 || h.cfg.Faults < 0 {
		h.applyFaults(&s)
	}
	return h.generated
}

// network are the bank's steps, and what a node that works on nothing may hear. A copy of a
// report may arrive at any time: late, twice, or behind a newer one.
func (h *paymentExplorer) network(s *payment) {
	if s.books < 2 {
		h.add(s, [...]kind{paid, returned}[s.books], 0, 0, never, func(s *payment) {
			s.reports[s.books], s.books = owed, s.books+1
		})
	}
	for n := range s.nodes {
		if s.nodes[n].stage != idle {
			continue
		}
		for told := uint8(1); told <= s.books; told++ {
			r := never
			if told == s.books && (s.reports[0] == owed || s.reports[1] == owed) {
				r = rankBank
			}
			h.add(s, [...]kind{reportArrived, reportOfReturn}[told-1], 0, n, r, func(s *payment) { h.look(s, n, hearing{returned: told == 2}) })
		}
		if s.books == 0 || h.cfg.Faulty.NeverEnquire {
			continue
		}
		r := never
		if s.asked < s.books {
			r = rankEnquire
		} else if h.cfg.Faulty.MarkBeforeRecord {
			continue // it never looks back
		}
		h.add(s, enquiredPayment, 0, n, r, func(s *payment) {
			h.look(s, n, hearing{returned: s.books == 2, enquired: true})
			if h.cfg.Faulty.MarkBeforeRecord {
				s.asked = s.books
			}
		})
	}
}

// look finds what is recorded of the payment.
func (h *paymentExplorer) look(s *payment, n int, heard hearing) {
	switch {
	case s.recorded[0] == 0:
		heard.stage = foundNone
	case heard.returned && s.recorded[1] == 0 && !h.cfg.Faulty.KnownIsDone:
		heard.stage = foundUnreturned
	default:
		heard.stage = recordedAll
	}
	s.nodes[n] = heard
}

// record are the steps of a node that has heard of the payment.
func (h *paymentExplorer) record(s *payment, n int) {
	switch w := s.nodes[n]; w.stage {
	case foundNone:
		if h.cfg.Faulty.TellBeforeCommit {
			h.add(s, toldEarly, 0, n, never, func(s *payment) {
				for i := range h.cfg.Operations {
					c := &s.counters[i]
					c.stored[0] = c.stored[0] || c.linked
				}
			})
		}
		h.add(s, paymentRecorded, 0, n, rankExecute, func(s *payment) { h.commit(s, n, 0) })
	case foundUnreturned:
		h.add(s, returnRecorded, 0, n, rankExecute, func(s *payment) { h.commit(s, n, 1) })
	case recordedPay, recordedReturn:
		after := func(s *payment) {
			w := &s.nodes[n]
			if h.cfg.Faulty.EventsApart {
				s.events = max(s.events, uint8(w.stage-recordedPay)+1)
			}
			if w.stage == recordedPay && w.returned {
				h.look(s, n, *w)
				return
			}
			w.stage = recordedAll
		}
		h.add(s, woken, 0, n, rankExecute, func(s *payment) {
			after(s)
			for i := range h.cfg.Operations {
				s.lookForEvents(i)
			}
		})
		h.add(s, wakeLost, 0, n, never, after)
	case recordedAll:
		if w.enquired {
			h.add(s, enquiryDone, 0, n, rankExecute, func(s *payment) {
				s.asked = max(s.asked, w.told())
				s.nodes[n] = hearing{}
			})
			return
		}
		// A report that was made again after the return has it, and confirms its own.
		for i := range w.told() {
			r := rankExecute
			if s.reports[i] != owed && (s.reports[0] == owed || w.returned && s.reports[1] == owed) {
				r = never
			}
			h.add(s, confirmedReport, int(i), n, r, func(s *payment) {
				if s.reports[i] == owed {
					s.reports[i] = confirmed
				}
				s.nodes[n] = hearing{}
			})
		}
	}
}

// told is how much of the books was told.
func (w hearing) told() uint8 {
	if w.returned {
		return 2
	}
	return 1
}

// commit records the payment or its return, unless another node was first.
func (h *paymentExplorer) commit(s *payment, n, what int) {
	w := &s.nodes[n]
	if s.recorded[what] > 0 && !h.cfg.Faulty.RecordUnchecked {
		h.look(s, n, *w)
		return
	}
	s.recorded[what]++
	w.stage = recordedPay + stage(what)
	if !h.cfg.Faulty.EventsApart {
		s.events = max(s.events, uint8(what)+1)
	}
}

// lookForEvents is a session that reads what events there are for its counter.
func (s *payment) lookForEvents(i int) {
	if c := &s.counters[i]; c.linked && s.events > c.forgotten {
		c.newest = max(c.newest, s.events)
	}
}

// feed are the steps of one counter and its session. The connection keeps the order.
func (h *paymentExplorer) feed(s *payment, i int) {
	try := func(k kind, r rank, change func(*payment, *shopCounter)) {
		h.add(s, k, i, 0, r, func(s *payment) { change(s, &s.counters[i]) })
	}
	c := &s.counters[i]
	for what := range c.late {
		if c.late[what] {
			try(storedLate, rankCounter, func(_ *payment, c *shopCounter) { c.late[what], c.stored[what] = false, true })
		}
	}
	if !c.linked {
		r := rankConnect
		if s.events == 0 || c.cursor == s.events {
			r = never
		}
		try(counterConnected, r, func(s *payment, c *shopCounter) {
			c.linked, c.sent, c.newest, c.forgotten = true, c.cursor, c.cursor, max(c.forgotten, c.cursor)
			s.lookForEvents(i)
		})
		return
	}
	if !h.cfg.Faulty.NeverLook {
		try(looked, rankAsk, func(s *payment, _ *shopCounter) { s.lookForEvents(i) })
	}
	if c.newest > c.sent {
		try(eventSent, rankDeliverOutcome, func(_ *payment, c *shopCounter) { c.sent++ })
	}
	if c.sent > c.cursor {
		try(eventStored, rankRead, func(_ *payment, c *shopCounter) {
			if h.cfg.Faulty.SeenBeforeStored {
				c.late[c.cursor] = true
			} else {
				c.stored[c.cursor] = true
			}
			c.cursor++
		})
	}
	if c.cursor > c.forgotten {
		try(seenArrived, rankDeliver, func(_ *payment, c *shopCounter) { c.forgotten = c.cursor })
	}
}

// cut ends the connection of a counter: what was on its way is lost.
func (c *shopCounter) cut() { c.linked, c.newest, c.sent = false, 0, 0 }

// applyFaults makes the faults that may happen now.
func (h *paymentExplorer) applyFaults(s *payment) {
	strike := func(k kind, op, arg int, change func(*payment)) {
		h.add(s, k, op, arg, never, func(to *payment) {
			change(to)
			if *to != *s && h.cfg.Faults >= 0 {
				to.faults--
			}
		})
	}
	for i := range h.cfg.Operations {
		strike(shopCounterCrashed, i, 0, func(s *payment) {
			s.counters[i].cut()
			s.counters[i].late = [2]bool{}
		})
		strike(shopLineCut, i, 0, func(s *payment) { s.counters[i].cut() })
	}
	for n := range s.nodes {
		strike(recorderLost, 0, n, func(s *payment) { s.nodes[n] = hearing{} })
	}
	for i, r := range s.reports {
		if r == owed {
			strike(reportGivenUp, i, 0, func(s *payment) { s.reports[i] = givenUp })
		}
	}
}
