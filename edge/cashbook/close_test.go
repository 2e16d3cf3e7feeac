package cashbook_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// TestCashOfLongAgo: cash that moves or is due long after its operation was created is in
// the drawer, the file and the charts of its day.
func TestCashOfLongAgo(t *testing.T) {
	s := newShop(t)
	begun := time.Date(2026, 8, 9, 10, 0, 0, 0, time.UTC)
	for _, r := range []edge.Record{
		{Route: op.Withdrawal, CreatedAt: november(9, 10, 0), EndedAt: november(13, 10, 0), Amount: 500_00, State: op.Succeeded, CashBy: "Fatima", CashGivenAt: november(21, 9, 0)},
		{Route: op.Transfer, CreatedAt: november(10, 10, 0), EndedAt: november(14, 10, 0), Amount: 1000_00, Charge: 10_00, State: op.Failed, CashKept: true, CashBy: "Fatima", CashGivenAt: november(21, 10, 0)},
		{Route: op.Withdrawal, CreatedAt: begun, EndedAt: november(21, 11, 0), Amount: 700_00, State: op.Succeeded},
		{Route: op.Transfer, CreatedAt: begun, EndedAt: november(1, 11, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, CashKept: true, CashBy: "Fatima"},
	} {
		s.addRecord(r)
	}
	k := s.summarize(today)
	if want := money.Paise(500_00 + 1010_00 + 700_00); k.Out != want || k.In != 0 || len(k.CashToReturn) != 1 || len(k.UnansweredCash) != 1 {
		t.Errorf("out are %s of %+v, want %s; %d are due and %d ask, want one each", k.Out, k.Lines, want, len(k.CashToReturn), len(k.UnansweredCash))
	}
	if _, out := fileOf(t, s, today); out != k.Out {
		t.Errorf("the file has %s out, the reckoning %s", out, k.Out)
	}
	if bars, err := s.book.MonthBars(today); err != nil || bars[20].Out != k.Out {
		t.Errorf("the month's bar has %s out, the reckoning %s: %v", bars[20].Out, k.Out, err)
	}
}

// TestAnswersAfterADaysEnd: a day is not closed over unanswered cash, whenever it was
// created, and no answer counts twice.
func TestAnswersAfterADaysEnd(t *testing.T) {
	s := newShop(t)
	var asking *cashbook.UnansweredCashError
	if err := s.book.SetOpening("2026-11-20", count(500, 500), "Fatima"); err != nil {
		t.Fatal(err)
	}
	// Created on the 20th, which was closed over it, and paid on the 21st.
	s.now = november(20, 20, 0)
	late := s.addRecord(edge.Record{Route: op.Withdrawal, CreatedAt: november(20, 19, 0), Amount: 700_00, State: op.Pending})
	if c, err := s.book.Close("2026-11-20", "Fatima", count(500, 500), "", []op.ID{late}); err != nil || c.Expected != 1000_00 {
		t.Fatalf("%+v, %v", c, err)
	}
	// And one that the bank pays on the evening of the 20th, after the closing.
	evening := s.addRecord(edge.Record{Route: op.Withdrawal, CreatedAt: november(20, 21, 0), EndedAt: november(20, 21, 1), Amount: 200_00, State: op.Succeeded})
	s.end(late, op.Succeeded, november(21, 9, 0))
	s.now = november(21, 20, 0)
	if _, err := s.book.Close(today, "Fatima", count(100), "", nil); !errors.As(err, &asking) || !slices.Equal(asking.IDs, []op.ID{late, evening}) {
		t.Fatalf("the 21st is closed over cash that asks: %v", err)
	}
	s.answer(late, november(21, 20, 1))
	s.answer(evening, never)
	s.now = november(21, 20, 2)
	if c, err := s.book.Close(today, "Fatima", count(200, 100), "", nil); err != nil || c.Expected != 300_00 {
		t.Errorf("%+v, %v", c, err)
	}
	s.answer(evening, november(21, 20, 30)) // the customer comes back, and the day is closed
	for day, want := range map[ist.Day]money.Paise{"2026-11-20": 1000_00, today: 300_00, "2026-11-22": 100_00} {
		if k := s.summarize(day); k.Expected != want {
			t.Errorf("%s: expected are %s of %+v, want %s", day, k.Expected, k.Lines, want)
		}
	}
}

// TestADayThatAnOlderProgramClosed over unconfirmed cash counted it as handed over: a
// later answer does not take it out again.
func TestADayThatAnOlderProgramClosed(t *testing.T) {
	s := newShop(t)
	const closing = `{"day":"2026-11-20","operator":"Fatima","opening":500000,"lines":[{"flow":"unconfirmed","count":2,"amount":140000}],"expected":360000,"count":[],"counted":360000,"done":2,"failed":0}`
	if err := s.queue.CloseDay("2026-11-20", []byte(closing), november(20, 20, 0)); err != nil {
		t.Fatal(err)
	}
	var ids []op.ID
	for i := range 2 {
		ids = append(ids, s.addRecord(edge.Record{Route: op.Withdrawal, CreatedAt: november(20, 10, i), EndedAt: november(20, 10, i), Amount: 700_00, State: op.Succeeded}))
	}
	s.answer(ids[0], november(21, 9, 0))
	for day, want := range map[ist.Day]money.Paise{"2026-11-20": 1400_00, today: 0} {
		if k := s.summarize(day); k.Out != want || len(k.UnansweredCash) != 0 {
			t.Errorf("%s: out are %s, want %s; %d ask", day, k.Out, want, len(k.UnansweredCash))
		}
	}
}

// TestCashThatNobodyWasAskedAbout does not prevent a closing: it counts as handed over,
// once, whatever is answered later.
func TestCashThatNobodyWasAskedAbout(t *testing.T) {
	s := newShop(t)
	book, err := cashbook.New(s.queue, cashbook.Config{Now: func() time.Time { return s.now }, Offset: func() time.Duration { return 0 }, Cash: func() []edge.Record { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	s.book = book
	id := s.addRecord(edge.Record{Route: op.Withdrawal, CreatedAt: november(19, 10, 0), EndedAt: november(20, 10, 0), Amount: 700_00, State: op.Succeeded})
	s.now = november(20, 20, 0)
	if c, err := s.book.Close("2026-11-20", "Fatima", nil, "not counted", nil); err != nil || c.Expected != -700_00 {
		t.Fatalf("%+v, %v", c, err)
	}
	s.answer(id, november(21, 9, 0))
	s.now = november(21, 20, 0)
	if before, after := s.summarize("2026-11-20"), s.summarize(today); before.Out != 700_00 || after.Out != 0 {
		t.Errorf("%s out on the day that was closed, and %s on the next", before.Out, after.Out)
	}
}

// end records the outcome of an operation.
func (s *testShop) end(id op.ID, state op.State, at time.Time) {
	s.t.Helper()
	if _, err := s.queue.Change(id, func(r *edge.Record) error { r.State, r.EndedAt = state, at; return nil }); err != nil {
		s.t.Fatal(err)
	}
}

// monthModel is a shop over many days, with the notes in its drawer.
type monthModel struct {
	*testShop
	rt     *rapid.T
	drawer money.Paise
	opened ist.Day // no earlier day is open
	queued []op.ID // not sent yet
	going  []op.ID // sent, without an outcome
	asked  []op.ID // paid, without an answer
	handed map[op.ID]bool
	owed   []op.ID // answered 'not given', or a customer's kept cash
	closed map[ist.Day]cashbook.Closing
	seen   map[string]int
}

func (m *monthModel) record(id op.ID) edge.Record {
	r, err := m.queue.Get(id)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// take removes a random element of a list.
func (m *monthModel) take(list *[]op.ID) (id op.ID, ok bool) {
	if len(*list) == 0 {
		return "", false
	}
	i := rapid.IntRange(0, len(*list)-1).Draw(m.rt, "which")
	id = (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return id, true
}

func (m *monthModel) begin() {
	amount := money.Paise(100+rapid.IntRange(1, 40).Draw(m.rt, "hundreds")*100) * money.Rupee
	r := edge.Record{Amount: amount, CreatedAt: m.now, State: op.Queued}
	r.Route = rapid.SampledFrom([]op.RouteID{op.Withdrawal, op.Transfer, op.Refund}).Draw(m.rt, "route")
	switch r.Route {
	case op.Transfer:
		r.Charge = 10 * money.Rupee
	case op.Refund:
		r.Consent = edge.RefundCashAfter
	}
	m.queued = append(m.queued, m.addRecord(r))
}

// sends sends a queued operation; the customer's cash is in the drawer from then on.
func (m *monthModel) sends() {
	id, ok := m.take(&m.queued)
	if !ok {
		return
	}
	if _, err := m.queue.Change(id, func(r *edge.Record) error { r.State, r.SentAt = op.Sent, m.now; return nil }); err != nil {
		m.t.Fatal(err)
	}
	if r := m.record(id); r.Route == op.Transfer {
		m.drawer += r.Amount + r.Charge
	}
	m.going = append(m.going, id)
}

// ends returns a sent operation an outcome; pending is none.
func (m *monthModel) ends() {
	id, ok := m.take(&m.going)
	if !ok {
		return
	}
	before := m.record(id)
	states := []op.State{op.Succeeded, op.Failed, op.Reversed, op.NotSent}
	if before.State == op.Sent {
		states = append(states, op.Pending, op.Pending)
	}
	state := rapid.SampledFrom(states).Draw(m.rt, "state")
	m.seen[string(state)]++
	at := m.now
	if !state.Final() {
		at = time.Time{}
		m.going = append(m.going, id)
	}
	if _, err := m.queue.Change(id, func(r *edge.Record) error {
		r.State, r.EndedAt, r.CashKept = state, at, r.CashKept || state == op.Pending && r.Route == op.Transfer
		return nil
	}); err != nil {
		m.t.Fatal(err)
	}
	switch now := m.record(id); {
	case now.OwesCashBack():
		m.answer(id, time.Time{})
		m.owed = append(m.owed, id)
	case now.Route == op.Transfer && (state == op.Failed || state == op.NotSent): // returned at once
		m.drawer -= now.Amount + now.Charge
	case now.Cash() == edge.CashDue:
		m.asked = append(m.asked, id)
		if m.handed[id] = rapid.Bool().Draw(m.rt, "handed over"); m.handed[id] { // and not answered yet
			m.drawer -= now.Amount
		}
	}
}

// answerCash answers for an unanswered one.
func (m *monthModel) answerCash() {
	id, ok := m.take(&m.asked)
	if !ok {
		return
	}
	if m.handed[id] {
		m.answer(id, m.now)
		return
	}
	m.answer(id, time.Time{})
	m.owed = append(m.owed, id)
}

// comesBack returns the owed cash to a customer.
func (m *monthModel) comesBack() {
	if id, ok := m.take(&m.owed); ok {
		r := m.record(id)
		m.drawer -= r.Amount + r.Charge
		m.answer(id, m.now)
		m.seen["came back"]++
	}
}

// closes closes a day; unanswered cash refuses it first.
func (m *monthModel) closes(day ist.Day) {
	m.now = m.now.Add(time.Second)
	k := m.summarize(day)
	acknowledged := make([]op.ID, len(k.Unfinished))
	for i, r := range k.Unfinished {
		acknowledged[i] = r.ID
	}
	var asking *cashbook.UnansweredCashError
	c, err := m.book.Close(day, "Fatima", countOf(k.Expected), "as it is", acknowledged)
	if errors.As(err, &asking) != (len(k.UnansweredCash) > 0) {
		m.rt.Fatalf("%s: %d ask, and it is closed: %v", day, len(k.UnansweredCash), err)
	}
	if len(k.UnansweredCash) > 0 {
		m.seen["refused"]++
		for len(m.asked) > 0 {
			m.answerCash()
		}
		m.now = m.now.Add(time.Second)
		m.closes(day)
		return
	}
	if err != nil {
		m.rt.Fatalf("%s is not closed: %v", day, err)
	}
	if day == m.book.Today() && c.Expected != m.drawer {
		m.rt.Fatalf("%s is closed over %s, and the drawer holds %s", day, c.Expected, m.drawer)
	}
	m.seen["closed"]++
	m.closed[day], m.opened = c, day.Add(1)
}

// countOf is a count of an amount, in rupees and any number of pieces; a negative amount
// counts as none.
func countOf(p money.Paise) cashbook.Count {
	return cashbook.Count{{Denomination: money.Rupee, Pieces: int(p / money.Rupee)}}
}

// checkDays compares the days with the drawer, and closed days with their closings.
func (m *monthModel) checkDays() {
	for day := m.opened; day < m.book.Today(); day = day.Add(1) {
		m.closes(day)
	}
	want, day := m.drawer, m.book.Today()
	if m.opened > day {
		day = m.opened // what was known after the closing is in the next one
	}
	for _, id := range m.asked {
		if !m.handed[id] { // until it is answered, it counts as handed over
			want -= m.record(id).Amount
		}
	}
	if k := m.summarize(day); k.Expected != want {
		m.rt.Fatalf("at %s %s expects %s of %+v, want %s", m.now, day, k.Expected, k.Lines, want)
	}
}

// checkClosedDays compares sums, file and chart of closed days with their closings.
func (m *monthModel) checkClosedDays() {
	for day, c := range m.closed {
		k := m.summarize(day)
		in, out := fileOf(m.t.(*testing.T), m.testShop, day)
		bars, err := m.book.MonthBars(day)
		bar := bars[day.Noon().Day()-1]
		var kept struct{ in, out money.Paise }
		for _, line := range c.Lines { // what was held may have been sent meanwhile: the same cash
			if line.Flow.IsOut() {
				kept.out += line.Amount
			} else {
				kept.in += line.Amount
			}
		}
		if err != nil || k.In != kept.in || k.Out != kept.out || k.Opening != c.Opening || len(k.UnansweredCash) > 0 || in != k.In || out != k.Out || bar.In != k.In || bar.Out != k.Out {
			m.rt.Fatalf("%s was closed over %+v; now it is %+v, %s in and %s out of the file, %+v in the chart: %v", day, c.Lines, k.Lines, in, out, bar, err)
		}
	}
}

// TestDrawerOverClosings: whatever happens before, between and after the closings of days,
// in any order, each day is closed with what the drawer holds, no closed day changes, and
// everything counts exactly once.
func TestDrawerOverClosings(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		m := &monthModel{testShop: newShop(t), rt: rt, handed: map[op.ID]bool{}, closed: map[ist.Day]cashbook.Closing{}, seen: seen}
		defer func() { _ = m.queue.Close() }()
		m.now, m.drawer, m.opened = november(2, 9, 0), 900_000*money.Rupee, "2026-11-02"
		if err := m.book.SetOpening(m.opened, countOf(m.drawer), "Fatima"); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(15, 50).Draw(rt, "steps") {
			m.now = m.now.Add(rapid.SampledFrom([]time.Duration{time.Minute, time.Minute, time.Minute, time.Hour, 5 * time.Hour, 5 * time.Hour, 26 * time.Hour}).Draw(rt, "later"))
			m.checkDays()
			switch rapid.SampledFrom([]string{"begin", "begin", "begin", "send", "send", "send", "end", "end", "end", "say", "back", "back", "close", "close", "restart"}).Draw(rt, "does") {
			case "begin":
				m.begin()
			case "send":
				m.sends()
			case "end":
				m.ends()
			case "say":
				m.answerCash()
			case "back":
				m.comesBack()
			case "close":
				if day := m.book.Today(); day >= m.opened {
					m.closes(day)
				}
			case "restart":
				if err := m.queue.Close(); err != nil {
					t.Fatal(err)
				}
				m.open()
			}
			m.checkDays()
		}
		m.checkClosedDays()
	})
	t.Log(seen)
}
