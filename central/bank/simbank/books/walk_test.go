package books

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"galla/central/bank/network"
	"galla/shared/money"
)

// model is a small bank in memory, against which the real one is walked.
type model struct {
	balance map[string]money.Paise
	spent   map[string]money.Paise // by customer and day
	pids    map[string][2]string   // owner and uses: t, a or ta
	txns    map[string]*modelTxn
	refs    []string
}

type modelTxn struct {
	t       network.Transaction
	aadhaar string
	status  network.Status
	code    string
	day     string
	due     time.Time
	lost    bool
	back    bool // at due, the money goes back
}

// settle ends what is due.
func (m *model) settle(now time.Time) {
	for _, x := range m.txns {
		if x.due.IsZero() || x.due.After(now) {
			continue
		}
		switch {
		case x.lost:
			x.status, x.code, x.lost = network.Failed, codeIssuer, false
		case x.back && x.t.Kind.Debits():
			x.status, x.code = network.Reversed, codeReversed
			m.balance[x.aadhaar] += x.t.Amount
			m.spent[x.aadhaar+x.day] -= x.t.Amount
		case x.back:
			x.status, x.code = network.Failed, codeIssuer
		default:
			x.status, x.code = network.Success, codeApproved
		}
		x.due = time.Time{}
	}
}

// apply does to the model what the bank should do, and gives its status and
// code.
func (m *model) apply(t network.Transaction, aadhaar, iin, pid string, matches bool, ceiling money.Paise, now time.Time) (network.Status, string) {
	if m.txns[t.Reference] != nil {
		return network.Failed, codeDuplicate
	}
	x := &modelTxn{t: t, aadhaar: aadhaar, day: day(now), status: network.Failed}
	m.txns[t.Reference] = x
	m.refs = append(m.refs, t.Reference)
	paise := t.Amount.Fraction()
	if t.Kind == network.AgentAuth {
		paise = 0
	}
	if paise == 98 {
		x.status, x.lost, x.due = network.NotFound, true, now.Add(lostFor)
		return x.status, ""
	}
	x.code = m.judge(t, aadhaar, iin, pid, matches, ceiling, now)
	if x.code != "" {
		return x.status, x.code
	}
	if t.Kind.Debits() {
		m.balance[aadhaar] -= t.Amount
		m.spent[aadhaar+x.day] += t.Amount
	}
	x.status, x.code = network.Success, codeApproved
	if paise == 94 || paise == 93 {
		x.status, x.code, x.due, x.back = network.Pending, codePending, now.Add(resolvedIn), paise == 93
	}
	return x.status, x.code
}

func (m *model) judge(t network.Transaction, aadhaar, iin, pid string, matches bool, ceiling money.Paise, now time.Time) string {
	switch {
	case now.After(t.NotAfter):
		return codeExpired
	case t.Kind == network.CashDeposit:
		return codeInvalidKind
	case t.Kind.Debits() && t.Amount == 0, t.Kind == network.AgentAuth && t.Amount != 0:
		return codeInvalidAmount
	case t.IIN != iin && t.Kind != network.AgentAuth:
		return codeNotLinked
	}
	owner, use := t.Reference, "t"
	if t.InlineFor != "" {
		owner, use = t.InlineFor, "a"
	}
	if had, seen := m.pids[pid]; seen && (had[0] != owner || had[1] == use || len(had[1]) == 2) {
		return codePidTwice
	} else {
		m.pids[pid] = [2]string{owner, had[1] + use}
	}
	if !matches {
		return codeFinger
	}
	if t.Kind != network.AgentAuth {
		if code := map[int]string{5: "05", 51: "51", 91: "91", 63: "U3"}[t.Amount.Fraction()]; code != "" {
			return code
		}
	}
	switch {
	case !t.Kind.Debits():
		return ""
	case m.spent[aadhaar+day(now)]+t.Amount > ceiling:
		return codeCeiling
	case t.Amount > m.balance[aadhaar]:
		return codeFunds
	}
	return ""
}

// TestRandomWalk drives the real books and the model side by side: same
// answers, same balances, a trial that balances, nobody overdrawn, every
// reference executed at most once. Time is virtual; the PID blocks' contents
// are made up, since the walk is about money.
func TestRandomWalk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failure any // rapid's failures are panics, and must not end the bubble
		synctest.Test(t, func(t *testing.T) {
			defer func() { failure = recover() }()
			walk(t, rt)
		})
		if failure != nil {
			panic(failure)
		}
	})
}

func walk(t *testing.T, rt *rapid.T) {
	cfg := testConfig(t)
	residents, err := Residents()
	if err != nil {
		rt.Fatal(err)
	}
	cfg.Customers, cfg.DailyCeiling = residents[:3], 9_000*money.Rupee
	b, err := Open(t.Context(), cfg)
	if err != nil {
		rt.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			rt.Error(err)
		}
	}()
	m := &model{balance: map[string]money.Paise{}, spent: map[string]money.Paise{}, pids: map[string][2]string{}, txns: map[string]*modelTxn{}}
	iins := map[string]string{}
	for _, c := range cfg.Customers {
		m.balance[c.Aadhaar.Reveal()], iins[c.Aadhaar.Reveal()] = c.Opening, c.IIN
	}
	w := &walker{ctx: t.Context(), b: b, m: m, iins: iins, ceiling: cfg.DailyCeiling, customers: slices.Sorted(maps.Keys(iins))}
	rt.Repeat(map[string]func(*rapid.T){
		"transact": w.transact,
		"again":    w.transactAgain,
		"wait": func(rt *rapid.T) {
			time.Sleep(time.Duration(rapid.IntRange(1, 40_000).Draw(rt, "ms")) * time.Millisecond)
		},
		"next day": func(rt *rapid.T) { time.Sleep(24 * time.Hour) },
		"enquire":  w.enquire,
		"":         w.check,
	})
}

type walker struct {
	ctx       context.Context // of the bubble; rapid's own lives outside
	b         *Books
	m         *model
	iins      map[string]string
	ceiling   money.Paise
	customers []string
	n         int
}

func (w *walker) transact(rt *rapid.T) {
	w.n++
	aadhaar := rapid.SampledFrom(w.customers).Draw(rt, "customer")
	t := network.Transaction{
		Reference: fmt.Sprintf("W%d", w.n), STAN: fmt.Sprintf("%06d", w.n), MID: "M1", TID: "T1", IIN: w.iins[aadhaar],
		Kind: rapid.SampledFrom([]network.Kind{network.Withdrawal, network.Withdrawal, network.Withdrawal, network.Purchase,
			network.Balance, network.MiniStatement, network.AgentAuth, network.CashDeposit}).Draw(rt, "kind"),
		NotAfter: time.Now().Add(time.Duration(rapid.SampledFrom([]int{15, 15, 15, -1}).Draw(rt, "deadline")) * time.Second),
	}
	if t.Kind != network.AgentAuth || rapid.IntRange(0, 9).Draw(rt, "with amount") == 0 {
		rupees := rapid.SampledFrom([]int{0, 1, 100, 2_000, 4_200, 8_999, 12_000}).Draw(rt, "rupees")
		paise := rapid.SampledFrom([]int{0, 0, 0, 5, 51, 91, 63, 97, 98, 99, 96, 95, 94, 93, 50}).Draw(rt, "paise")
		t.Amount = money.Paise(rupees*100 + paise)
	}
	if t.Kind == network.AgentAuth && rapid.Bool().Draw(rt, "inline") {
		t.InlineFor = fmt.Sprintf("W%d", w.n+rapid.IntRange(0, 1).Draw(rt, "for")*2-1)
	}
	if rapid.IntRange(0, 9).Draw(rt, "foreign bank") == 0 {
		t.IIN = "999999"
	}
	pid := fmt.Sprintf("pid%d", w.n-rapid.IntRange(0, 1).Draw(rt, "old pid"))
	w.send(rt, t, aadhaar, pid, rapid.IntRange(0, 9).Draw(rt, "finger") != 0)
}

// transactAgain uses a reference a second time, with another amount.
func (w *walker) transactAgain(rt *rapid.T) {
	if len(w.m.refs) == 0 {
		rt.Skip("nothing was sent so far")
	}
	w.n++
	old := w.m.txns[rapid.SampledFrom(w.m.refs).Draw(rt, "reference")]
	t := old.t
	t.Amount, t.NotAfter = 777*money.Rupee, time.Now().Add(time.Minute)
	w.send(rt, t, old.aadhaar, fmt.Sprintf("pid%d", w.n), true)
}

func (w *walker) send(rt *rapid.T, t network.Transaction, aadhaar, pid string, matches bool) {
	now := time.Now()
	w.m.settle(now)
	// As the resolver of a running bank would have.
	if _, err := w.b.resolveDue(w.ctx); err != nil {
		rt.Fatal(err)
	}
	t.Aadhaar = aadhaarOf(rt, aadhaar)
	a, _, err := w.b.executeAEPS(w.ctx, t, openedPID{taken: now, matches: matches, hmac: w.b.mac("pid", []byte(pid))}, scenarioOf(t))
	if err != nil {
		rt.Fatal(err)
	}
	status, code := w.m.apply(t, aadhaar, w.iins[aadhaar], pid, matches, w.ceiling, now)
	if a.Status != status || a.Code != code {
		rt.Fatalf("%s %s of %s: the bank says %s %s, the model %s %s", t.Kind, t.Reference, t.Amount, a.Status, a.Code, status, code)
	}
	if t.Kind.Debits() && status == network.Success && (a.Balance == nil || *a.Balance != w.m.balance[aadhaar] || len(a.AuthCode) != 6) {
		rt.Fatalf("answer %+v, want the balance %s", a, w.m.balance[aadhaar])
	}
}

func (w *walker) enquire(rt *rapid.T) {
	if len(w.m.refs) == 0 {
		rt.Skip("nothing was sent so far")
	}
	w.m.settle(time.Now())
	x := w.m.txns[rapid.SampledFrom(w.m.refs).Draw(rt, "reference")]
	a, err := w.b.Enquire(w.ctx, x.t.Reference)
	if err != nil {
		rt.Fatal(err)
	}
	if a.Status != x.status || a.Code != x.code {
		rt.Fatalf("enquiry for %s of %s: the bank says %s %s, the model %s %s", x.t.Reference, x.t.Amount, a.Status, a.Code, x.status, x.code)
	}
}

// check holds the invariants.
func (w *walker) check(rt *rapid.T) {
	w.m.settle(time.Now())
	executions, err := w.b.Executions(w.ctx, Filter{})
	if err != nil {
		rt.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range executions {
		x := w.m.txns[e.Reference]
		want := map[network.Status]ExecutionStatus{network.Success: Executed, network.Pending: Executed, network.Reversed: Reversed, network.Failed: Declined}[x.status]
		if seen[e.Reference] || x.lost || e.Status != want || e.Amount != x.t.Amount {
			rt.Fatalf("execution %+v of %+v", e, x)
		}
		seen[e.Reference] = true
	}
	trial, err := w.b.Trial(w.ctx)
	if err != nil || trial.Debits != trial.Credits || trial.Debits != trial.Entries {
		rt.Fatalf("trial %+v, %v", trial, err)
	}
	for _, a := range w.customers {
		balance, err := w.b.Balance(w.ctx, aadhaarOf(rt, a))
		if err != nil || balance != w.m.balance[a] || balance < 0 {
			rt.Fatalf("balance %s, %v; the model has %s", balance, err, w.m.balance[a])
		}
	}
	var wrong int
	_, err = w.b.db.committed(w.ctx).row("check debits against entries", `SELECT count(*) FROM transactions t WHERE
		(t.state IN ('APPROVED', 'DEFERRED', 'REVERSED') AND t.kind IN ('CASH_WITHDRAWAL', 'PURCHASE'))
			<> EXISTS (SELECT 1 FROM entries e WHERE e.transaction_id = t.id AND e.purpose = 'DEBIT' AND e.amount_paise = t.amount_paise)
		OR (t.state = 'REVERSED') <> EXISTS (SELECT 1 FROM entries e WHERE e.transaction_id = t.id AND e.purpose = 'REVERSAL')`, nil, &wrong)
	if err != nil || wrong != 0 {
		rt.Fatalf("%d transactions disagree with their entries, %v", wrong, err)
	}
}
