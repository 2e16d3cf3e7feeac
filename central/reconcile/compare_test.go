package reconcile

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// noon is in the middle of the day that the tests compare.
var noon = time.Date(2026, 11, 21, 6, 30, 0, 0, time.UTC)

const day ist.Day = "2026-11-21"

// operation is a withdrawal of the day that succeeded at a terminal.
func operation(change ...func(*Operation)) Operation {
	o := Operation{
		ID: "o1", Reference: "GL1", STAN: "000001", RRN: "632510000001", Kind: central.KindWithdrawal, Amount: 50000, State: op.Succeeded,
		Terminal: "t1", CreatedAt: noon, SentAt: noon, BankNotAfter: noon.Add(15 * time.Second), FinishedAt: noon.Add(time.Second),
	}
	for _, c := range change {
		c(&o)
	}
	return o
}

// line is the bank's line of it.
func line(change ...func(*Line)) Line {
	l := Line{Number: 2, Reference: "GL1", RRN: "632510000001", STAN: "000001", Amount: 50000, Code: "00", At: noon}
	for _, c := range change {
		c(&l)
	}
	return l
}

func in(s op.State) func(*Operation) {
	return func(o *Operation) {
		if o.State = s; !s.Final() {
			o.FinishedAt, o.RRN = time.Time{}, ""
		}
	}
}

func coded(code string) func(*Line) { return func(l *Line) { l.Code = code } }

func TestCompare(t *testing.T) {
	none := []Line{}
	tests := map[string]struct {
		operations []Operation
		lines      []Line
		elsewhere  bool
		want       []Class
	}{
		"all agree":                  {[]Operation{operation()}, []Line{line()}, false, []Class{Agreed}},
		"failed, declined":           {[]Operation{operation(in(op.Failed))}, []Line{line(coded("51"))}, false, []Class{Agreed}},
		"reversed, reversed":         {[]Operation{operation(in(op.Reversed))}, []Line{line(coded("22"))}, false, []Class{Agreed}},
		"only the bank":              {nil, []Line{line()}, false, []Class{MissingHere}},
		"only the central":           {[]Operation{operation()}, none, false, []Class{MissingAtBank}},
		"reversed, no line":          {[]Operation{operation(in(op.Reversed))}, none, false, []Class{MissingAtBank}},
		"nothing moved":              {[]Operation{operation(in(op.Failed))}, none, false, []Class{NothingMoved}},
		"refused":                    {[]Operation{operation(in(op.Refused))}, none, false, []Class{NothingMoved}},
		"refused, executed":          {[]Operation{operation(in(op.Refused))}, []Line{line()}, false, []Class{OutcomeDiffers}},
		"another amount":             {[]Operation{operation()}, []Line{line(func(l *Line) { l.Amount++ })}, false, []Class{AmountDiffers}},
		"another amount and state":   {[]Operation{operation(in(op.Failed))}, []Line{line(func(l *Line) { l.Amount++ })}, false, []Class{AmountDiffers}},
		"succeeded, declined":        {[]Operation{operation()}, []Line{line(coded("91"))}, false, []Class{OutcomeDiffers}},
		"failed, executed":           {[]Operation{operation(in(op.Failed))}, []Line{line()}, false, []Class{OutcomeDiffers}},
		"failed, reversed":           {[]Operation{operation(in(op.Failed))}, []Line{line(coded("22"))}, false, []Class{OutcomeDiffers}},
		"the bank is not certain":    {[]Operation{operation()}, []Line{line(coded("68"))}, false, []Class{OutcomeDiffers}},
		"pending, executed":          {[]Operation{operation(in(op.Pending))}, []Line{line()}, false, []Class{OutcomeDiffers}},
		"pending, no line":           {[]Operation{operation(in(op.Pending))}, none, false, []Class{AwaitingBank}},
		"sent, no line":              {[]Operation{operation(in(op.Sent))}, none, false, []Class{AwaitingBank}},
		"another STAN":               {[]Operation{operation()}, []Line{line(func(l *Line) { l.STAN = "000002" })}, false, []Class{IdentifiersDiffer}},
		"another RRN":                {[]Operation{operation()}, []Line{line(func(l *Line) { l.RRN = "632510000009" })}, false, []Class{IdentifiersDiffer}},
		"no RRN here":                {[]Operation{operation(func(o *Operation) { o.RRN = "" })}, []Line{line()}, false, []Class{Agreed}},
		"twice at the bank":          {[]Operation{operation()}, []Line{line(), line(func(l *Line) { l.Number = 3 })}, false, []Class{Agreed, DuplicateLine}},
		"twice, and not here":        {nil, []Line{line(), line(func(l *Line) { l.Number = 3 })}, false, []Class{MissingHere, DuplicateLine}},
		"the terminal is not told":   {[]Operation{operation(func(o *Operation) { o.Unreported = true })}, []Line{line()}, false, []Class{Unreported}},
		"in another day's file":      {[]Operation{operation()}, none, true, []Class{OtherDay}},
		"pending in another's":       {[]Operation{operation(in(op.Pending))}, none, true, []Class{OtherDay}},
		"ended on another day":       {[]Operation{operation(func(o *Operation) { o.FinishedAt = noon.AddDate(0, 0, 2) })}, none, false, []Class{OtherDay}},
		"of another day, with line":  {[]Operation{operation(func(o *Operation) { o.FinishedAt = noon.AddDate(0, 0, 2) })}, []Line{line()}, false, []Class{Agreed}},
		"the bank may start it late": {[]Operation{operation(in(op.Pending), func(o *Operation) { o.BankNotAfter = noon.Add(12*time.Hour - 10*time.Second) })}, none, false, []Class{OtherDay}},
	}
	for name, tt := range tests {
		elsewhere := map[central.Reference]ist.Day{}
		if tt.elsewhere {
			elsewhere["GL1"] = "2026-11-22"
		}
		got := Compare(day, tt.lines, tt.operations, elsewhere)
		if len(got) != len(tt.want) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for i, f := range got {
			if f.Class != tt.want[i] {
				t.Errorf("%s: %s, want %s", name, f.Class, tt.want[i])
			}
		}
	}
}

func TestRule(t *testing.T) {
	pending := operation(in(op.Pending))
	kind := func(k central.Kind) *Operation {
		return new(operation(in(op.Pending), func(o *Operation) { o.Kind = k }))
	}
	tests := map[string]struct {
		class Class
		o     *Operation
		l     *Line
		want  Verdict
	}{
		"pending, executed":              {OutcomeDiffers, &pending, new(line()), Succeeded},
		"pending, declined":              {OutcomeDiffers, &pending, new(line(coded("51"))), Failed},
		"pending, reversed":              {OutcomeDiffers, &pending, new(line(coded("22"))), Reversed},
		"pending, not certain":           {OutcomeDiffers, &pending, new(line(coded("68"))), ""},
		"sent, executed":                 {OutcomeDiffers, new(operation(in(op.Sent))), new(line()), Succeeded},
		"received, executed":             {OutcomeDiffers, new(operation(in(op.Received))), new(line()), ""},
		"a transfer's success":           {OutcomeDiffers, kind(central.KindTransfer), new(line()), ""},
		"a transfer's failure":           {OutcomeDiffers, kind(central.KindTransfer), new(line(coded("91"))), Failed},
		"a refund's success":             {OutcomeDiffers, kind(central.KindRefund), new(line()), Succeeded},
		"failed here, executed there":    {OutcomeDiffers, new(operation(in(op.Failed))), new(line()), ""},
		"succeeded here, declined there": {OutcomeDiffers, new(operation()), new(line(coded("91"))), ""},
		"another amount":                 {AmountDiffers, &pending, new(line()), ""},
		"other identifiers":              {IdentifiersDiffer, &pending, new(line()), ""},
		"missing here":                   {MissingHere, nil, new(line()), ""},
		"missing at the bank":            {MissingAtBank, new(operation()), nil, ""},
		"a second line":                  {DuplicateLine, nil, new(line()), ""},
		"unreported":                     {Unreported, new(operation()), new(line()), Noted},
		"awaiting the bank":              {AwaitingBank, &pending, nil, Noted},
	}
	for name, tt := range tests {
		got, why := DecideByRule(tt.class, tt.o, tt.l)
		if got != tt.want || (why == "") != (got == "") {
			t.Errorf("%s: %q (%s), want %q", name, got, why, tt.want)
		}
	}
}

// TestComparisonIsWhole: every line and every operation is in exactly one finding, and the
// sums of paise add up.
func TestComparisonIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.IntRange(1, 12), 0, 30)
		var operations []Operation
		taken := map[int]bool{}
		for i, n := range names.Draw(t, "operations") {
			if taken[n] {
				continue // a reference belongs to one operation
			}
			taken[n] = true
			state := rapid.SampledFrom([]op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused}).Draw(t, "state")
			operations = append(operations, operation(in(state), func(o *Operation) {
				o.ID, o.Reference = op.ID(fmt.Sprint(i)), central.Reference(fmt.Sprint("GL", n))
				o.STAN = fmt.Sprintf("%06d", rapid.IntRange(1, 2).Draw(t, "stan"))
				o.Amount = money.Paise(rapid.IntRange(1, 3).Draw(t, "amount"))
				o.Unreported = rapid.Bool().Draw(t, "unreported")
				o.CreatedAt = noon.Add(time.Duration(rapid.IntRange(-40, 40).Draw(t, "hours")) * time.Hour)
				o.BankNotAfter = o.CreatedAt
			}))
		}
		var lines []Line
		for i, n := range names.Draw(t, "lines") {
			code := rapid.SampledFrom([]string{"00", "22", "51", "68"}).Draw(t, "code")
			lines = append(lines, line(coded(code), func(l *Line) {
				l.Number, l.Reference = i+2, central.Reference(fmt.Sprint("GL", n))
				l.STAN = fmt.Sprintf("%06d", rapid.IntRange(1, 2).Draw(t, "line's stan"))
				l.Amount = money.Paise(rapid.IntRange(1, 3).Draw(t, "line's amount"))
			}))
		}
		elsewhere := map[central.Reference]ist.Day{}
		for _, n := range names.Draw(t, "elsewhere") {
			elsewhere[central.Reference(fmt.Sprint("GL", n))] = "2026-11-22"
		}
		findings := Compare(day, lines, operations, elsewhere)
		ofLine, ofOperation := make([]int, len(lines)), make([]int, len(operations))
		for _, f := range findings {
			if f.Line >= 0 {
				ofLine[f.Line]++
			}
			if f.Operation >= 0 {
				ofOperation[f.Operation]++
			}
			if f.Line >= 0 && f.Operation >= 0 && lines[f.Line].Reference != operations[f.Operation].Reference {
				t.Fatalf("%+v joins two references", f)
			}
		}
		var want, got Sum
		for i, l := range lines {
			want.Lines++
			want.Theirs += l.Amount
			if l.Outcome() == op.Succeeded {
				want.MovedTheirs += l.Amount
			}
			if ofLine[i] != 1 {
				t.Fatalf("line %d is in %d findings", i, ofLine[i])
			}
		}
		for i, o := range operations {
			want.Operations++
			want.Ours += o.Amount
			if o.State == op.Succeeded {
				want.MovedOurs += o.Amount
			}
			if ofOperation[i] != 1 {
				t.Fatalf("operation %d is in %d findings", i, ofOperation[i])
			}
		}
		for class, s := range SumUp(findings, lines, operations) {
			got = got.plus(s)
			if class == Agreed && (s.Ours != s.Theirs || s.MovedOurs != s.MovedTheirs || s.Operations != s.Lines) {
				t.Fatalf("agreed, and yet %+v", s)
			}
			if class == NothingMoved && s.MovedOurs != 0 {
				t.Fatalf("nothing moved, and yet %+v", s)
			}
		}
		if got != want {
			t.Fatalf("the classes add up to %+v, want %+v", got, want)
		}
	})
}

// BenchmarkCompare compares a day of a hundred thousand operations that agree.
func BenchmarkCompare(b *testing.B) {
	const n = 100_000
	operations, lines := make([]Operation, n), make([]Line, n)
	for i := range operations {
		reference := central.Reference(fmt.Sprintf("GL%016d", i))
		operations[i] = operation(func(o *Operation) { o.ID, o.Reference = op.ID(reference), reference })
		lines[i] = line(func(l *Line) { l.Reference = reference })
	}
	b.ReportAllocs()
	for b.Loop() {
		SumUp(Compare(day, lines, operations, nil), lines, operations)
	}
}
