package model

import "fmt"

// names are what happens to a payment: it is paid, and returned.
var names = [2]string{"payment", "return"}

// violation gives the first promise that a state breaks, or "".
func (h *paymentExplorer) violation(k key) string {
	s := unpackPayment(k)
	for what, name := range names {
		happened := int(s.books) > what
		switch {
		case s.recorded[what] > 1:
			return fmt.Sprintf("invariant 1: the %s is recorded twice", name)
		case s.recorded[what] == 1 && !happened:
			return fmt.Sprintf("invariant 2: the %s is recorded, and the bank does not have it", name)
		}
		for i := range h.cfg.Operations {
			if s.counters[i].stored[what] && s.recorded[what] == 0 {
				return fmt.Sprintf("invariant 2: counter %d shows the %s, which is not recorded", i+1, name)
			}
		}
	}
	return ""
}

// unfinished says what is missing in a state in which nothing is left to do, or "".
func (h *paymentExplorer) unfinished(k key) string {
	s := unpackPayment(k)
	for what, name := range names[:s.books] {
		if s.recorded[what] == 0 {
			return fmt.Sprintf("invariant 3: nothing more happens, and the %s is not recorded", name)
		}
		for i := range h.cfg.Operations {
			if !s.counters[i].stored[what] {
				return fmt.Sprintf("invariant 3: nothing more happens, and counter %d does not show the %s", i+1, name)
			}
		}
	}
	return ""
}

// bits is what a node works on, as a number.
func (w hearing) bits() uint8 {
	b := uint8(w.stage) << 2
	if w.returned {
		b |= 2
	}
	if w.enquired {
		b |= 1
	}
	return b
}

func (s *payment) pack() key {
	var p packer
	p.put(s.books, 2)
	for what := range names {
		p.put(uint8(s.reports[what]), 2)
		p.put(s.recorded[what], 2)
	}
	p.put(s.events, 2)
	p.put(s.asked, 2)
	for _, w := range s.nodes {
		p.put(w.bits(), 5)
	}
	p.put(s.faults, 4)
	var rest packer
	for i := range s.counters {
		c := &s.counters[i]
		for what := range names {
			rest.flag(c.stored[what])
			rest.flag(c.late[what])
		}
		rest.put(c.cursor, 2)
		rest.put(c.forgotten, 2)
		rest.flag(c.linked)
		rest.put(c.newest, 2)
		rest.put(c.sent, 2)
	}
	return key{p.v, rest.v}
}

func unpackPayment(k key) payment {
	p, rest := packer{v: k[0]}, packer{v: k[1]}
	var s payment
	s.books = p.get(2)
	for what := range names {
		s.reports[what], s.recorded[what] = report(p.get(2)), p.get(2)
	}
	s.events, s.asked = p.get(2), p.get(2)
	for n := range s.nodes {
		b := p.get(5)
		s.nodes[n] = hearing{stage(b >> 2), b&2 != 0, b&1 != 0}
	}
	s.faults = p.get(4)
	for i := range s.counters {
		c := &s.counters[i]
		for what := range names {
			c.stored[what], c.late[what] = rest.is(), rest.is()
		}
		c.cursor, c.forgotten, c.linked = rest.get(2), rest.get(2), rest.is()
		c.newest, c.sent = rest.get(2), rest.get(2)
	}
	return s
}
