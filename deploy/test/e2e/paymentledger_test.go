//go:build linux

package e2e

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"galla/shared/ist"
)

// bankPayment is a payment by UPI in the bank's books.
type bankPayment struct {
	ID          string
	RRN         string
	Payee       string
	TR          string
	AmountPaise int64
	Refund      *struct{ ID, RRN string }
}

// paymentsAtBank reads all payments of the bank's books, by their ids.
func (s *site) paymentsAtBank() (map[string]bankPayment, error) {
	var list []bankPayment
	if err := s.tryGet(s.url("BANK")+"/books/payments", &list); err != nil {
		return nil, err
	}
	all := map[string]bankPayment{}
	for _, p := range list {
		all[p.ID] = p
	}
	return all, nil
}

// recordedPayment is a payment as the central has it, with what it earned.
type recordedPayment struct {
	id, rrn, payee, order, match, source string
	amount, recordedAt                   int64 // paise; Unix milliseconds
	operation, refundID, refundOperation string

	ended                   int // operations of it and its return that succeeded with its amount
	commissions, takenBack  int
	entries, reversals, net int64 // in the ledger; net is paise
	all                     int   // operations of the network, of any payment
}

// expected are the operations that each counter of the shop has of the payment.
func (p recordedPayment) expected() []string {
	if p.payee == otherShopVPA || p.payee == nobodysVPA {
		return nil
	}
	if p.refundOperation == "" {
		return []string{p.operation}
	}
	return []string{p.operation, p.refundOperation}
}

// paymentsAtCentral reads the payments that the central has recorded, by their ids.
func (s *site) paymentsAtCentral() (map[string]recordedPayment, error) {
	db, err := s.openCentral("ro")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, err := db.QueryContext(ctx, `
		SELECT p.id, p.rrn, p.payee, coalesce(p.order_id, ''), p.matched, p.source, p.amount, p.recorded_at, p.operation, coalesce(p.refund_id, ''), coalesce(p.refund_operation, ''),
		       (SELECT count(*) FROM operations o WHERE o.caller = 'network' AND o.identity IN (p.id, p.refund_id) AND o.state = 'succeeded' AND o.amount = p.amount),
		       (SELECT count(*) FROM commissions c WHERE c.operation = p.operation),
		       (SELECT count(*) FROM commissions c WHERE c.operation = p.operation AND c.reversed_by = p.refund_operation),
		       (SELECT count(*) FROM ledger_entries e WHERE e.operation = p.operation AND e.reversal = 0),
		       (SELECT count(*) FROM ledger_entries e WHERE e.operation = p.operation AND e.reversal = 1 AND e.written_by = p.refund_operation),
		       (SELECT coalesce(sum(CASE e.reversal WHEN 0 THEN e.amount ELSE -e.amount END), 0) FROM ledger_entries e WHERE e.operation = p.operation),
		       (SELECT count(*) FROM operations o WHERE o.caller = 'network')
		FROM upi_payments p`)
	if err != nil {
		return nil, fmt.Errorf("read the central's payments: %w", err)
	}
	defer found.Close()
	all := map[string]recordedPayment{}
	for found.Next() {
		var p recordedPayment
		if err := found.Scan(&p.id, &p.rrn, &p.payee, &p.order, &p.match, &p.source, &p.amount, &p.recordedAt, &p.operation, &p.refundID, &p.refundOperation,
			&p.ended, &p.commissions, &p.takenBack, &p.entries, &p.reversals, &p.net, &p.all); err != nil {
			return nil, err
		}
		all[p.id] = p
	}
	return all, found.Err()
}

// unseenPayments are the operations of payments that the central has an event of, because
// their counter has not seen them yet, by the counter's name.
func (s *site) unseenPayments() (map[string]map[string]bool, error) {
	db, err := s.openCentral("ro")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, err := db.QueryContext(ctx, `SELECT t.name, e.operation FROM events e JOIN terminals t ON t.id = e.terminal WHERE e.kind = 'payment'`)
	if err != nil {
		return nil, fmt.Errorf("read the central's events: %w", err)
	}
	defer found.Close()
	all := map[string]map[string]bool{}
	for found.Next() {
		var name, operation string
		if err := found.Scan(&name, &operation); err != nil {
			return nil, err
		}
		if all[name] == nil {
			all[name] = map[string]bool{}
		}
		all[name][operation] = true
	}
	return all, found.Err()
}

// makeEnquiryDue makes the central's enquiry for payments due at once.
func (s *site) makeEnquiryDue() error {
	db, err := s.openCentral("rw")
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = db.ExecContext(ctx, `UPDATE scheduled_jobs SET due_at = 1 WHERE name = 'upi-enquiry'`)
	return err
}

// listed is what a counter's file of the day has of each operation: the kinds, by the
// operation's number.
func (a *agent) listed() (map[string][]string, error) {
	all := map[string][]string{}
	today := ist.DayOf(time.Now())
	for _, day := range []ist.Day{today.Add(-1), today} {
		var file string
		err := a.unlocked(func() (err error) { _, file, err = a.get("/operations/csv?day=" + string(day)); return err })
		if err != nil {
			return nil, err
		}
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, "\ufeff"))).ReadAll()
		if err != nil || len(rows) == 0 {
			return nil, errors.Join(err, errors.New("the counter's file of a day can't be read"))
		}
		kind, number := slices.Index(rows[0], "Operation"), slices.Index(rows[0], "Operation number")
		if kind < 0 || number < 0 {
			return nil, fmt.Errorf("the counter's file of a day has the columns %v", rows[0])
		}
		for _, row := range rows[1:] {
			all[row[number]] = append(all[row[number]], row[kind])
		}
	}
	return all, nil
}

// Kinds of a counter's file.
const (
	kindPaid     = "UPI payment"
	kindReturned = "UPI payment returned"
)

// checkOnce compares what the central has recorded so far with the bank's books: nothing is
// recorded that nobody paid. And what a counter has seen, it has: the central has forgotten
// the event. The central is read first. false: central or bank are away.
func (m *payerLoad) checkOnce(g *ledger) bool {
	table, err := m.s.paymentsAtCentral()
	if err != nil {
		return false
	}
	unseen, err := m.s.unseenPayments()
	if err != nil {
		return false
	}
	books, err := m.s.paymentsAtBank()
	if err != nil {
		return false
	}
	for _, p := range table {
		g.checkRecorded(p, books, m.earnsFrom)
	}
	for n, a := range m.watchers {
		list, err := a.listed()
		if err != nil {
			continue // it is away
		}
		for _, p := range table {
			for _, id := range p.expected() {
				if !unseen[withNumber("edge", n)][id] && len(list[id]) == 0 {
					g.addLost("counter %d does not have operation %s of payment %s, and the central has no event of it any more", n+1, id, p.id)
				}
			}
		}
	}
	return true
}

// checkRecorded compares a recorded payment with the bank's. Those that were recorded after
// a moment earn a commission.
func (g *ledger) checkRecorded(p recordedPayment, books map[string]bankPayment, earnsFrom time.Time) {
	line, there := books[p.id]
	returned, operations := p.refundID != "", 1
	if returned {
		operations = 2
	}
	earned := p.commissions
	switch {
	case p.payee == nobodysVPA:
		earned = 0
	case p.recordedAt >= earnsFrom.UnixMilli():
		earned = 1
	}
	switch {
	case !there:
		g.find("the central has payment %s of %d paise, which is not in the bank's books", p.id, p.amount)
	case p.amount != line.AmountPaise || p.rrn != line.RRN || p.payee != line.Payee:
		g.find("payment %s is %+v at the central and %+v in the bank's books", p.id, p, line)
	case returned && (line.Refund == nil || line.Refund.ID != p.refundID):
		g.find("payment %s was returned by %s, says the central; the bank's books say %+v", p.id, p.refundID, line.Refund)
	case p.ended != operations:
		g.addDoubled("payment %s (returned: %t) has %d operations that succeeded", p.id, returned, p.ended)
	case p.commissions != earned || p.takenBack != earned*(operations-1):
		g.find("payment %s (returned: %t) has %d commissions, %d of them taken back: %+v", p.id, returned, p.commissions, p.takenBack, p)
	case earned == 1 && (p.entries == 0 || !returned && (p.reversals != 0 || p.net <= 0) || returned && (p.reversals != p.entries || p.net != 0)):
		g.find("payment %s (returned: %t) has %d ledger entries and %d reversals, %d paise together", p.id, returned, p.entries, p.reversals, p.net)
	}
}

// checkPayments compares the bank's payments with the central's and with what each counter
// of the shop shows: each payment and each return is there once, and nothing else.
func (g *ledger) checkPayments(m *payerLoad) {
	g.t.Helper()
	books, err := m.s.paymentsAtBank()
	must(g.t, err)
	table, err := m.s.paymentsAtCentral()
	must(g.t, err)
	returned, enquired, matched := 0, 0, map[string]int{}
	byOrder := map[string]int64{}
	for id, line := range books {
		byOrder[line.TR] += line.AmountPaise
		p, there := table[id]
		switch {
		case !there:
			g.addLost("payment %s (%d paise to %s) is in the bank's books, and the central does not have it", id, line.AmountPaise, line.Payee)
		case line.Refund != nil && p.refundID == "":
			g.addLost("the return of payment %s is in the bank's books, and the central does not have it", id)
		}
		if line.Refund != nil {
			returned++
		}
		if p.source == "enquiry" {
			enquired++
		}
		matched[p.match]++
	}
	of, all := 0, 0
	for _, p := range table {
		g.checkRecorded(p, books, m.earnsFrom)
		of, all = of+p.ended, p.all
	}
	if of != all {
		g.addDoubled("the central's payments have %d operations, and the network has %d", of, all)
	}
	for id, paise := range m.told {
		if books[id].AmountPaise != paise {
			g.addLost("a payer was told that payment %s of %d paise is done, and the bank's books have %+v", id, paise, books[id])
		}
	}
	for order, paise := range m.shown {
		if paise > byOrder[order] {
			g.find("a counter showed %d paise as received for order %s, and the bank's books have %d", paise, order, byOrder[order])
		}
	}
	shown := 0
	for n := range m.at {
		shown += g.checkShown(m, n, table)
	}
	g.payments = fmt.Sprintf(", and %d payments by UPI (%d returned, %d found by the enquiry alone, %d to the shop's orders), %d lines of them at %d counters",
		len(books), returned, enquired, matched["order"], shown, len(m.at))
}

// checkShown compares a counter's list with the central's payments, and counts its lines of
// them.
func (g *ledger) checkShown(m *payerLoad, n int, table map[string]recordedPayment) (shown int) {
	g.t.Helper()
	list, err := m.watchers[n].listed()
	must(g.t, err)
	want := map[string]string{}
	for _, p := range table {
		for i, id := range p.expected() {
			want[id] = []string{kindPaid, kindReturned}[i]
			switch kinds := list[id]; {
			case len(kinds) == 0:
				g.addLost("counter %d was not told of %q %s of payment %s", n+1, want[id], id, p.id)
			case len(kinds) > 1:
				g.addDoubled("counter %d has %q %s of payment %s %d times", n+1, want[id], id, p.id, len(kinds))
			}
		}
	}
	for id, kinds := range list {
		for _, kind := range kinds {
			if kind != kindPaid && kind != kindReturned {
				continue
			}
			shown++
			if want[id] != kind {
				g.find("counter %d shows %q %s, and should show %q", n+1, kind, id, want[id])
			}
		}
	}
	return shown
}

// enough tells whether everything that payers do was done. A busy machine shows few codes.
func (m *payerLoad) enough() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.told) > 0 && m.codes > 0 && m.forged > 0
}

// report prints what the payers did.
func (m *payerLoad) report() {
	m.t.Logf("%d payments by UPI were told to payers; counters showed %d codes, and %d of them as paid while things broke; %d forged reports were refused", len(m.told), m.codes, len(m.shown), m.forged)
	if len(m.told) == 0 || m.forged == 0 {
		m.t.Error("nobody paid, or nothing was forged: the payers prove nothing")
	}
}
