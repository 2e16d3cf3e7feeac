package ui

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/op"
)

// paymentKey is the shortcut that dismisses the strip of payments.
const paymentKey = "z"

// maxShownIDs bounds the payments that one form dismisses: a strip names at most as many.
const maxShownIDs = 200

// paymentBar shows on every page the payments by UPI, and their returns, that nobody at the
// counter has seen: the one that matters most, and how many more.
type paymentBar struct {
	Shown  bool
	Tone   string // of package outcome
	Icon   string
	Label  string // what came, or went back
	Who    string // masked; empty on a locked counter
	Time   string // when it was paid
	Href   string // empty: the counter is locked
	More   string // how many others; empty: none
	IDs    string // of all of them, for the form that dismisses them
	Key    string
	Sounds string // those whose sound is due; empty: none
}

// Cap is the key as printed on keyboards.
func (s paymentBar) Cap() string { return strings.ToUpper(s.Key) }

// showsPayment reports whether the page itself shows a payment.
func (p Page) showsPayment(r edge.Record) bool {
	return r.ID == p.Operation || slices.Contains(p.Payments, r.ID)
}

// markShown stores that a page shows payments. A hidden page shows none, and nor does a
// locked one.
func (k *Kit) markShown(r *http.Request, ses *Session, p Page) {
	if ses == nil || p.Operation == "" && len(p.Payments) == 0 || r.URL.Query().Has("hidden") {
		return
	}
	var ids []op.ID
	for _, one := range k.counter.Status().Unshown {
		if p.showsPayment(one) {
			ids = append(ids, one.ID)
		}
	}
	if len(ids) == 0 {
		return
	}
	if err := k.counter.MarkPaymentsShown(ids); err != nil {
		k.log.Error("that a payment was shown can't be stored: it is shown again", "error", err)
	}
}

// makePaymentBar makes the strip. It leaves out what the page itself shows, and names nobody
// on a locked counter.
func (k *Kit) makePaymentBar(w *i18n.Localizer, st edge.Status, ses *Session, p Page) paymentBar {
	var s paymentBar
	if k.cfg.Sound.PaymentSound() != SoundNone {
		s.Sounds = joinIDs(st.Unannounced)
	}
	list := slices.DeleteFunc(slices.Clone(st.Unshown), p.showsPayment)
	if len(list) == 0 {
		return s
	}
	first := list[len(list)-1]
	for _, r := range list { // what went back matters more than what came
		if r.Route == op.PaymentReturned {
			first = r
		}
	}
	s.Shown, s.Tone, s.Icon, s.Label = true, outcome.ToneDone, "tick", w.Text("payment.received", "amount", i18n.ShortRupees(first.Amount))
	if first.Route == op.PaymentReturned {
		s.Tone, s.Icon, s.Label = outcome.ToneStop, "refused", w.Text("payment.returned", "amount", i18n.ShortRupees(first.Amount))
	}
	s.Time = w.ShortTime(paymentTime(first, st), st.Now)
	if len(list) > 1 {
		s.More = w.Plural("cash.more", len(list)-1)
	}
	if ses == nil {
		return s
	}
	ids := make([]op.ID, 0, maxShownIDs)
	for _, r := range list[max(0, len(list)-maxShownIDs):] {
		ids = append(ids, r.ID)
	}
	s.Who, s.Href, s.IDs, s.Key = first.Title, "/op/"+string(first.ID), joinIDs(ids), paymentKey
	return s
}

// paymentTime is when a payment was paid, or given back, by this computer's clock.
func paymentTime(r edge.Record, st edge.Status) time.Time {
	if r.Route == op.PaymentReturned {
		return r.CreatedAt
	}
	return r.PaidAt().Add(-st.Link.Offset)
}

func joinIDs(ids []op.ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = string(id)
	}
	return strings.Join(texts, " ")
}

// dismissPayments answers the strip's form: the agent has seen the payments that it named.
func (k *Kit) dismissPayments(w http.ResponseWriter, r *http.Request, ses *Session) {
	var ids []op.ID
	for _, text := range strings.Fields(r.PostForm.Get("ids")) {
		if id, err := op.ParseID(text); err == nil {
			ids = append(ids, id)
		}
	}
	if err := k.counter.MarkPaymentsShown(ids); err != nil {
		k.Fail(w, r, ses, err)
		return
	}
	http.Redirect(w, r, LocalPath(r.PostForm.Get("here")), http.StatusSeeOther)
}
