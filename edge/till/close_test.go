package till_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/edge"
	"galla/edge/till"
	"galla/shared/money"
	"galla/shared/op"
)

// TestCashOfLongAgo: cash that moves, and cash that is due, long after its
// operation was begun is in the drawer, the file and the charts of its day.
func TestCashOfLongAgo(t *testing.T) {
	s := newShop(t)
	begun := time.Date(2026, 8, 9, 10, 0, 0, 0, time.UTC)
	for _, r := range []edge.Record{
		{Route: op.Withdrawal, CreatedAt: ist(9, 10, 0), EndedAt: ist(13, 10, 0), Amount: 500_00, State: op.Succeeded, CashBy: "Fatima", CashGiven: ist(21, 9, 0)},
		{Route: op.Transfer, CreatedAt: ist(10, 10, 0), EndedAt: ist(14, 10, 0), Amount: 1000_00, Charge: 10_00, State: op.Failed, CashKept: true, CashBy: "Fatima", CashGiven: ist(21, 10, 0)},
		{Route: op.Withdrawal, CreatedAt: begun, EndedAt: ist(21, 11, 0), Amount: 700_00, State: op.Succeeded},
		{Route: op.Transfer, CreatedAt: begun, EndedAt: ist(1, 11, 0), Amount: 2500_00, Charge: 25_00, State: op.Failed, CashKept: true, CashBy: "Fatima"},
	} {
		s.with(r)
	}
	k := s.reckon(today)
	if want := money.Paise(500_00 + 1010_00 + 700_00); k.Out != want || k.In != 0 || len(k.Due) != 1 || len(k.Asking) != 1 {
		t.Errorf("out are %s of %+v, want %s; %d are due and %d ask, want one each", k.Out, k.Lines, want, len(k.Due), len(k.Asking))
	}
	if _, out := fileOf(t, s, today); out != k.Out {
		t.Errorf("the file has %s out, the reckoning %s", out, k.Out)
	}
	if bars, err := s.till.Days(today); err != nil || bars[20].Out != k.Out {
		t.Errorf("the month's bar has %s out, the reckoning %s: %v", bars[20].Out, k.Out, err)
	}
}

// TestAnswersAfterADaysEnd: a day is not closed over cash that nobody has answered
// for, whenever it was begun, and no answer is counted twice.
func TestAnswersAfterADaysEnd(t *testing.T) {
	s := newShop(t)
	var asking *till.AskingError
	if err := s.till.SetOpening("2026-11-20", count(500, 500), "Fatima"); err != nil {
		t.Fatal(err)
	}
	// Begun on the 20th, which was closed over it, and paid on the 21st.
	s.now = ist(20, 20, 0)
	late := s.with(edge.Record{Route: op.Withdrawal, CreatedAt: ist(20, 19, 0), Amount: 700_00, State: op.Pending})
	if c, err := s.till.Close("2026-11-20", "Fatima", count(500, 500), "", []op.ID{late}); err != nil || c.Expected != 1000_00 {
		t.Fatalf("%+v, %v", c, err)
	}
	// And one that the bank pays on the evening of the 20th, after the day was closed.
	evening := s.with(edge.Record{Route: op.Withdrawal, CreatedAt: ist(20, 21, 0), EndedAt: ist(20, 21, 1), Amount: 200_00, State: op.Succeeded})
	s.end(late, op.Succeeded, ist(21, 9, 0))
	s.now = ist(21, 20, 0)
	if _, err := s.till.Close(today, "Fatima", count(100), "", nil); !errors.As(err, &asking) || !slices.Equal(asking.IDs, []op.ID{late, evening}) {
		t.Fatalf("the 21st is closed over cash that asks: %v", err)
	}
	s.answer(late, ist(21, 20, 1))
	s.answer(evening, never)
	s.now = ist(21, 20, 2)
	if c, err := s.till.Close(today, "Fatima", count(200, 100), "", nil); err != nil || c.Expected != 300_00 {
		t.Errorf("%+v, %v", c, err)
	}
	s.answer(evening, ist(21, 20, 30)) // the customer comes back, and the day is closed
	for day, want := range map[till.Day]money.Paise{"2026-11-20": 1000_00, today: 300_00, "2026-11-22": 100_00} {
		if k := s.reckon(day); k.Expected != want {
			t.Errorf("%s: expected are %s of %+v, want %s", day, k.Expected, k.Lines, want)
		}
	}
}

// TestADayThatAnOlderProgramClosed over cash that nobody had confirmed took it for
// handed over: an answer after that does not take it out once more.
func TestADayThatAnOlderProgramClosed(t *testing.T) {
	s := newShop(t)
	const closing = `{"day":"2026-11-20","operator":"Fatima","opening":500000,"lines":[{"flow":"unconfirmed","count":2,"amount":140000}],"expected":360000,"count":[],"counted":360000,"done":2,"failed":0}`
	if err := s.queue.KeepDay("2026-11-20", []byte(closing), ist(20, 20, 0)); err != nil {
		t.Fatal(err)
	}
	var ids []op.ID
	for i := range 2 {
		ids = append(ids, s.with(edge.Record{Route: op.Withdrawal, CreatedAt: ist(20, 10, i), EndedAt: ist(20, 10, i), Amount: 700_00, State: op.Succeeded}))
	}
	s.answer(ids[0], ist(21, 9, 0))
	for day, want := range map[till.Day]money.Paise{"2026-11-20": 1400_00, today: 0} {
		if k := s.reckon(day); k.Out != want || len(k.Asking) != 0 {
			t.Errorf("%s: out are %s, want %s; %d ask", day, k.Out, want, len(k.Asking))
		}
	}
}

// TestCashThatNobodyWasAskedAbout, as it was left before the counter asked, is no
// reason against a closing: it is taken for handed over, once, whatever is said later.
func TestCashThatNobodyWasAskedAbout(t *testing.T) {
	s := newShop(t)
	till, err := till.New(s.queue, till.Config{Now: func() time.Time { return s.now }, Offset: func() time.Duration { return 0 }, Cash: func() []edge.Record { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	s.till = till
	id := s.with(edge.Record{Route: op.Withdrawal, CreatedAt: ist(19, 10, 0), EndedAt: ist(20, 10, 0), Amount: 700_00, State: op.Succeeded})
	s.now = ist(20, 20, 0)
	if c, err := s.till.Close("2026-11-20", "Fatima", nil, "not counted", nil); err != nil || c.Expected != -700_00 {
		t.Fatalf("%+v, %v", c, err)
	}
	s.answer(id, ist(21, 9, 0))
	s.now = ist(21, 20, 0)
	if before, after := s.reckon("2026-11-20"), s.reckon(today); before.Out != 700_00 || after.Out != 0 {
		t.Errorf("%s out on the day that was closed, and %s on the next", before.Out, after.Out)
	}
}

// end records the outcome of an operation.
func (s *shop) end(id op.ID, state op.State, at time.Time) {
	s.t.Helper()
	if _, err := s.queue.Change(id, func(r *edge.Record) error { r.State, r.EndedAt = state, at; return nil }); err != nil {
		s.t.Fatal(err)
	}
}

// month is a shop over many days, and the notes that lie in its drawer.
type month struct {
	*shop
	rt     *rapid.T
	drawer money.Paise
	opened till.Day // no day before it is open
	queued []op.ID  // not sent yet
	going  []op.ID  // sent, without an outcome
	asked  []op.ID  // paid, and nobody has said anything
	handed map[op.ID]bool
	owed   []op.ID // somebody said that it was not given, or it is a customer's kept cash
	closed map[till.Day]till.Closing
	seen   map[string]int
}

func (m *month) record(id op.ID) edge.Record {
	r, err := m.queue.Get(id)
	if err != nil {
		m.t.Fatal(err)
	}
	return r
}

// take takes any of a list out of it.
func (m *month) take(list *[]op.ID) (id op.ID, ok bool) {
	if len(*list) == 0 {
		return "", false
	}
	i := rapid.IntRange(0, len(*list)-1).Draw(m.rt, "which")
	id = (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return id, true
}

func (m *month) begin() {
	amount := money.Paise(100+rapid.IntRange(1, 40).Draw(m.rt, "hundreds")*100) * money.Rupee
	r := edge.Record{Amount: amount, CreatedAt: m.now, State: op.Queued}
	r.Route = rapid.SampledFrom([]op.RouteID{op.Withdrawal, op.Transfer, op.Refund}).Draw(m.rt, "route")
	switch r.Route {
	case op.Transfer:
		r.Charge = 10 * money.Rupee
	case op.Refund:
		r.Consent = edge.RefundRule
	}
	m.queued = append(m.queued, m.with(r))
}

// sends sends what waits; the customer's cash is in the drawer from then on.
func (m *month) sends() {
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

// ends gives one that is on its way an outcome; pending is none.
func (m *month) ends() {
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
	case now.Returns():
		m.answer(id, time.Time{})
		m.owed = append(m.owed, id)
	case now.Route == op.Transfer && (state == op.Failed || state == op.NotSent): // straight back
		m.drawer -= now.Amount + now.Charge
	case now.Cash() == edge.CashDue:
		m.asked = append(m.asked, id)
		if m.handed[id] = rapid.Bool().Draw(m.rt, "handed over"); m.handed[id] { // and not said yet
			m.drawer -= now.Amount
		}
	}
}

// says answers for one that is asked about.
func (m *month) says() {
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

// comesBack gives a customer the cash that is owed.
func (m *month) comesBack() {
	if id, ok := m.take(&m.owed); ok {
		r := m.record(id)
		m.drawer -= r.Amount + r.Charge
		m.answer(id, m.now)
		m.seen["came back"]++
	}
}

// closes closes a day; where cash asks, it is refused first.
func (m *month) closes(day till.Day) {
	m.now = m.now.Add(time.Second)
	k := m.reckon(day)
	acknowledged := make([]op.ID, len(k.Unsettled))
	for i, r := range k.Unsettled {
		acknowledged[i] = r.ID
	}
	var asking *till.AskingError
	c, err := m.till.Close(day, "Fatima", pile(k.Expected), "as it is", acknowledged)
	if errors.As(err, &asking) != (len(k.Asking) > 0) {
		m.rt.Fatalf("%s: %d ask, and it is closed: %v", day, len(k.Asking), err)
	}
	if len(k.Asking) > 0 {
		m.seen["refused"]++
		for len(m.asked) > 0 {
			m.says()
		}
		m.now = m.now.Add(time.Second)
		m.closes(day)
		return
	}
	if err != nil {
		m.rt.Fatalf("%s is not closed: %v", day, err)
	}
	if day == m.till.Today() && c.Expected != m.drawer {
		m.rt.Fatalf("%s is closed over %s, and the drawer holds %s", day, c.Expected, m.drawer)
	}
	m.seen["closed"]++
	m.closed[day], m.opened = c, day.Add(1)
}

// pile is a count of an amount, in rupees and any number of pieces; less than
// nothing, as of a drawer that was filled from elsewhere, is none.
func pile(p money.Paise) till.Count {
	return till.Count{{Of: money.Rupee, Pieces: int(p / money.Rupee)}}
}

// holds compares the days with the drawer, and closed days with their closings.
func (m *month) holds() {
	for day := m.opened; day < m.till.Today(); day = day.Add(1) {
		m.closes(day)
	}
	want, day := m.drawer, m.till.Today()
	if m.opened > day {
		day = m.opened // what was known after the closing is in the next one
	}
	for _, id := range m.asked {
		if !m.handed[id] { // until somebody says so, it is taken for handed over
			want -= m.record(id).Amount
		}
	}
	if k := m.reckon(day); k.Expected != want {
		m.rt.Fatalf("at %s %s expects %s of %+v, want %s", m.now, day, k.Expected, k.Lines, want)
	}
}

// stays compares what the reckoning, the file and the chart say of closed days with
// what was kept.
func (m *month) stays() {
	for day, c := range m.closed {
		k := m.reckon(day)
		in, out := fileOf(m.t.(*testing.T), m.shop, day)
		bars, err := m.till.Days(day)
		bar := bars[day.Date().Day()-1]
		var kept struct{ in, out money.Paise }
		for _, line := range c.Lines { // what was held may have been sent meanwhile: the same cash
			if line.Flow.Out() {
				kept.out += line.Amount
			} else {
				kept.in += line.Amount
			}
		}
		if err != nil || k.In != kept.in || k.Out != kept.out || k.Opening != c.Opening || len(k.Asking) > 0 || in != k.In || out != k.Out || bar.In != k.In || bar.Out != k.Out {
			m.rt.Fatalf("%s was closed over %+v; now it is %+v, %s in and %s out of the file, %+v in the chart: %v", day, c.Lines, k.Lines, in, out, bar, err)
		}
	}
}

// TestDrawerOverClosings: whatever happens before, between and after the closings
// of days, in whatever order it is told, each day is closed over what the drawer
// holds, no closed day changes, and all is counted exactly once.
func TestDrawerOverClosings(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		m := &month{shop: newShop(t), rt: rt, handed: map[op.ID]bool{}, closed: map[till.Day]till.Closing{}, seen: seen}
		defer func() { _ = m.queue.Close() }()
		m.now, m.drawer, m.opened = ist(2, 9, 0), 900_000*money.Rupee, "2026-11-02"
		if err := m.till.SetOpening(m.opened, pile(m.drawer), "Fatima"); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(15, 50).Draw(rt, "steps") {
			m.now = m.now.Add(rapid.SampledFrom([]time.Duration{time.Minute, time.Minute, time.Minute, time.Hour, 5 * time.Hour, 5 * time.Hour, 26 * time.Hour}).Draw(rt, "later"))
			m.holds()
			switch rapid.SampledFrom([]string{"begin", "begin", "begin", "send", "send", "send", "end", "end", "end", "say", "back", "back", "close", "close", "restart"}).Draw(rt, "does") {
			case "begin":
				m.begin()
			case "send":
				m.sends()
			case "end":
				m.ends()
			case "say":
				m.says()
			case "back":
				m.comesBack()
			case "close":
				if day := m.till.Today(); day >= m.opened {
					m.closes(day)
				}
			case "restart":
				if err := m.queue.Close(); err != nil {
					t.Fatal(err)
				}
				m.open()
			}
			m.holds()
		}
		m.stays()
	})
	t.Log(seen)
}
