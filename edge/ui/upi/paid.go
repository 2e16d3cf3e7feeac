package upi

import (
	"fmt"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/op"
)

// paidData is what was received for a code.
type paidData struct {
	Banner   ui.Banner
	Full     bool // a payment of the code's amount was received, and not returned
	Payments []paymentLine
	ids      []op.ID // of the payments and their returns
}

// shown are the operations that the page shows.
func (d *paidData) shown() []op.ID {
	if d == nil {
		return nil
	}
	return d.ids
}

// paymentLine is one payment, or the return of one.
type paymentLine struct {
	Amount, Payer, RRN, Time string
	Returned                 bool // the bank gave it back to the payer
}

// fillPaid fills in what was received for a code so far. The central has recorded it.
func (s *Pages) fillPaid(d *codeData, words *i18n.Localizer, c upiCode) {
	st := s.counter.Status()
	d.Online = st.Link.Online
	list := s.counter.PaymentsOf(c.Order)
	if len(list) == 0 || c.Amount == 0 {
		return
	}
	paid := &paidData{}
	returned := map[op.ID]bool{}
	for _, r := range list {
		paid.ids = append(paid.ids, r.ID)
		if r.Route == op.PaymentReturned {
			returned[r.LinkedTo] = true
		}
	}
	var last edge.Record
	sum, full := edge.ReceivedFor(list, c.Amount)
	paid.Full = full
	for _, r := range list {
		if r.Route == op.PaymentReturned {
			continue
		}
		line := paymentLine{Amount: i18n.ShortRupees(r.Amount), Payer: r.Title, RRN: r.ReplyValue("rrn"), Time: words.ShortTime(r.PaidAt().Add(-st.Link.Offset), st.Now), Returned: returned[r.ID]}
		paid.Payments = append(paid.Payments, line)
		if !line.Returned {
			last = r
		}
	}
	vars := []any{"amount", i18n.ShortRupees(sum), "payer", last.Title, "asked", i18n.ShortRupees(c.Amount), "count", len(paid.Payments)}
	switch {
	case paid.Full && sum == c.Amount:
		paid.Banner = paidBanner(words, outcome.ToneDone, "tick", "paid", vars)
	case paid.Full:
		paid.Banner = paidBanner(words, outcome.ToneDone, "tick", "paid-more", vars)
	case sum > 0:
		paid.Banner = paidBanner(words, outcome.TonePending, "warn", "paid-other", vars)
	default:
		paid.Banner = paidBanner(words, outcome.ToneStop, "refused", "paid-back", vars)
	}
	d.Paid, d.State = paid, fmt.Sprintf("%s-%d-%d", d.State, len(list), sum)
}

func paidBanner(words *i18n.Localizer, tone, icon, key string, vars []any) ui.Banner {
	return ui.Banner{Tone: tone, Icon: icon, Group: "any", Title: words.Text("upi."+key+".title", vars...), Lead: words.Text("upi."+key, vars...)}
}
