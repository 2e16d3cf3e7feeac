package history

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/op"
)

// entry is an operation of a list, with what belongs to it.
type entry struct {
	*edge.Record
	Refunds []*edge.Record // of a transfer, oldest first
	Steps   []*edge.Record // before a transfer or refund, oldest first
}

// operations returns the operations of entries.
func operations(entries []*entry) iter.Seq[*edge.Record] {
	return func(yield func(*edge.Record) bool) {
		for _, e := range entries {
			if !yield(e.Record) {
				return
			}
			for _, r := range slices.Concat(e.Refunds, e.Steps) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// stepGap is the pause after which a customer's steps no longer belong to what follows.
const stepGap = 30 * time.Minute

// fold puts steps and refunds under their transfer: steps by the customer's mobile number
// and the time, refunds and enquiries by the transfer that they name. Steps that led to no
// transfer are under the last of them. Records are oldest first, entries newest first.
func fold(records []*edge.Record) []*entry {
	f := folding{transfers: map[op.ID]*entry{}, steps: map[string][]*edge.Record{}}
	for _, v := range records {
		of := f.transfers[v.LinkedTo]
		switch {
		case v.Route == op.Transfer:
			f.transfers[v.ID] = f.add(entry{Record: v, Steps: f.takeSteps(v)})
		case v.Route == op.Refund && of != nil:
			of.Refunds = append(of.Refunds, v)
			of.Steps = append(of.Steps, f.takeSteps(v)...)
		case v.Route == op.Refund:
			f.add(entry{Record: v, Steps: f.takeSteps(v)})
		case isTransferStep(v.Route) && of != nil:
			of.Steps = append(of.Steps, v)
		case isTransferStep(v.Route) && v.Mobile != "":
			f.endSteps(v.Mobile, v.CreatedAt)
			f.steps[v.Mobile] = append(f.steps[v.Mobile], v)
		default:
			f.add(entry{Record: v})
		}
	}
	for mobile := range f.steps {
		f.endSteps(mobile, time.Time{})
	}
	slices.SortFunc(f.entries, func(a, b *entry) int { return cmp.Compare(b.ID, a.ID) })
	return f.entries
}

type folding struct {
	entries   []*entry
	transfers map[op.ID]*entry
	steps     map[string][]*edge.Record // of a mobile number, not yet under a transfer
}

func (f *folding) add(e entry) *entry {
	f.entries = append(f.entries, &e)
	return &e
}

// takeSteps returns the steps that led to an operation.
func (f *folding) takeSteps(v *edge.Record) []*edge.Record {
	f.endSteps(v.Mobile, v.CreatedAt)
	steps := f.steps[v.Mobile]
	delete(f.steps, v.Mobile)
	return steps
}

// endSteps makes an entry of steps that led to nothing within stepGap; the zero time means
// that nothing follows.
func (f *folding) endSteps(mobile string, at time.Time) {
	steps := f.steps[mobile]
	if len(steps) == 0 {
		return
	}
	last := len(steps) - 1
	if at.IsZero() || at.Sub(steps[last].CreatedAt) > stepGap {
		f.add(entry{Record: steps[last], Steps: steps[:last]})
		delete(f.steps, mobile)
	}
}

// isTransferStep reports whether a route is a step of a money transfer.
func isTransferStep(route op.RouteID) bool {
	switch outcome.KindOfRoute(route).Name {
	case "registering", "sender", "beneficiary", "transferring":
		return true
	}
	return false
}

// entryRow is an entry as the template "history-entry" shows it.
type entryRow struct {
	outcome.Row
	Refunds  []outcome.Row
	Refunded string // the refund of another day, in words; empty: none
	Steps    []outcome.Row
	Summary  string // how many steps there are
}

// rows returns the rows of entries.
func (t *Pages) rows(w *i18n.Localizer, entries []*entry, st edge.Status) []entryRow {
	out := make([]entryRow, len(entries))
	for i, e := range entries {
		r := entryRow{Row: outcome.Rows(w, t.views(e.Record), st)[0], Refunds: outcome.Rows(w, t.views(e.Refunds...), st), Steps: outcome.Rows(w, t.views(e.Steps...), st)}
		if n := len(e.Steps); n > 0 {
			r.Summary = w.Plural("history.steps", n)
		}
		if e.Route == op.Transfer && !e.RefundedAt.IsZero() && !slices.ContainsFunc(e.Refunds, isSuccess) {
			amount, charge := cashbook.RefundAmounts(*e.Record)
			r.Refunded = w.Text("history.refunded", "amount", i18n.Rupees(amount+charge), "time", w.ShortTime(e.RefundedAt, st.Now))
		}
		out[i] = r
	}
	return out
}

func isSuccess(r *edge.Record) bool { return r.State == op.Succeeded }

// views returns operations as pages show them: the stage of what is unfinished is known to
// the counter only.
func (t *Pages) views(records ...*edge.Record) []edge.View {
	out := make([]edge.View, len(records))
	for i, r := range records {
		if !r.State.Final() {
			if v, err := t.counter.Operation(r.ID); err == nil {
				out[i] = v
				continue
			}
		}
		out[i] = edge.View{Record: *r}
		out[i].Body = nil // it may hold an Aadhaar number
	}
	return out
}
