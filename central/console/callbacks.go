package console

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"galla/central"

	"galla/central/staff"
	"galla/central/webhook"
	"galla/shared/ist"
	"galla/shared/op"
)

func (e *PartyPages) callbackRoutes() []route {
	return []route{
		getRoute("callbacks", staff.Viewer, e.callbacks),
		getRoute("callbacks/{operation}", staff.Viewer, e.callback),
		withoutStepUp("it repeats a message to the endpoint that is set", postRoute("callbacks/{operation}/replay", staff.Operator, e.replay)),
		postRoute("merchants/{merchant}/endpoint", staff.Operator, e.setEndpoint),
		postRoute("merchants/{merchant}/secrets", staff.Operator, of(e.findMerchant, e.mintSecret)),
		postRoute("merchants/{merchant}/secrets/{secret}/revoke", staff.Operator, e.revokeSecret),
		withoutStepUp("it repeats a message to the endpoint that is set", postRoute("merchants/{merchant}/replay", staff.Operator, e.replaySince)),
	}
}

// callbacksPage is the list's data.
type callbacksPage struct {
	Callbacks []webhook.Callback
	Counts    webhook.Backlog
	Merchant  string
	State     webhook.State
	States    []webhook.State
	More      bool
}

func callbackStates() []webhook.State {
	return []webhook.State{webhook.StateWaiting, webhook.StateDelivered, webhook.StateGivenUp}
}

func (e *PartyPages) callbacks(v *visit) error {
	q := v.query()
	d := callbacksPage{Merchant: strings.TrimSpace(q.Get("merchant")), State: webhook.State(q.Get("state")), States: callbackStates()}
	var err error
	if d.Callbacks, err = e.Callbacks.ListCallbacks(v.Context(), webhook.Filter{Merchant: central.MerchantID(d.Merchant), State: d.State, Limit: pageSize + 1}); err == nil {
		d.Counts, err = e.Callbacks.CallbackBacklog(v.Context())
	}
	if err != nil {
		return err
	}
	if d.More = len(d.Callbacks) > pageSize; d.More {
		d.Callbacks = d.Callbacks[:pageSize]
	}
	return v.show(http.StatusOK, page{Name: "callbacks", Title: "Callbacks", Data: d})
}

// callbackPage is one callback's data.
type callbackPage struct {
	webhook.Callback
	Log     []webhook.Attempt
	Missing int // attempts whose node recorded no result
}

func (e *PartyPages) callback(v *visit) error { return e.showCallback(v, http.StatusOK, "") }

func (e *PartyPages) showCallback(v *visit, status int, alert string) error {
	c, log, err := e.Callbacks.Callback(v.Context(), op.ID(v.path("operation")))
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "callback", Title: "Callback", Back: Root + "callbacks", Alert: alert,
		Data: callbackPage{c, log, max(0, c.Attempts-len(log))}})
}

func (e *PartyPages) replay(v *visit) error {
	id := op.ID(v.path("operation"))
	err := e.Callbacks.ReplayCallback(v.Context(), v.Actor(), id)
	return v.after(err, func(status int, text string) error { return e.showCallback(v, status, text) }, Root+"callbacks/"+string(id), "replayed")
}

// afterCallbackStep shows a merchant again after a change of its callbacks, with the
// reason where it was refused.
func (e *PartyPages) afterCallbackStep(v *visit, err error, done string) error {
	m := central.MerchantID(v.path("merchant"))
	return v.after(err, func(status int, text string) error { return e.showMerchant(v, m, status, text) }, Root+"merchants/"+string(m), done)
}

// setEndpoint sets a merchant's endpoint. An empty URL ends the callbacks and gives up
// those that wait, after a question.
func (e *PartyPages) setEndpoint(v *visit) error {
	url := strings.TrimSpace(v.field("url"))
	here := Root + "merchants/" + v.path("merchant")
	if url == "" && !v.confirmed() {
		return askToConfirm(v, confirmPage{Question: "End the callbacks of this merchant?", Button: "End callbacks", Action: here + "/endpoint", Back: here,
			Text: "Waiting callbacks are given up. The merchant gets no callbacks until it has a URL again."})
	}
	err := e.Callbacks.SetEndpoint(v.Context(), v.Actor(), webhook.OfMerchant(central.MerchantID(v.path("merchant"))), url)
	if invalid := (*webhook.URLError)(nil); errors.As(err, &invalid) {
		err = refuse("Nothing was changed: %s.", invalid)
	}
	return e.afterCallbackStep(v, err, "endpoint")
}

func (e *PartyPages) mintSecret(v *visit, m central.Merchant) error {
	made, err := e.Callbacks.MintSecret(v.Context(), v.Actor(), webhook.OfMerchant(m.ID), time.Time{})
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return e.showMerchant(v, m.ID, status, text) })
	}
	return v.show(http.StatusOK, page{Name: "one-time", Title: "Callback secret", Back: Root + "merchants/" + string(m.ID), Data: oneTimePage{
		Lead:  "Every callback of " + m.LegalName + " is signed with it from now on, and with the merchant's other secret, if there is one.",
		Lines: []labelValue{{"Secret's id", string(made.ID)}, {"Secret", made.Secret.Reveal()}},
		Note:  "It is not shown again: the central stores it sealed. Send it over a channel that only the merchant reads.",
	}})
}

func (e *PartyPages) revokeSecret(v *visit) error {
	m, id := central.MerchantID(v.path("merchant")), webhook.SecretID(v.path("secret"))
	here := Root + "merchants/" + string(m)
	if !v.confirmed() {
		return askToConfirm(v, confirmPage{Question: "Revoke this secret?", Button: "Revoke", Action: here + "/secrets/" + string(id) + "/revoke", Back: here,
			Text: "Nothing is signed with it any more. A merchant without a live secret gets no callbacks until it has one."})
	}
	return e.afterCallbackStep(v, e.Callbacks.EndSecret(v.Context(), v.Actor(), webhook.OfMerchant(m), id, time.Time{}), "secret-revoked")
}

// replaySince sends again all callbacks of a merchant's operations that finished since a
// time.
func (e *PartyPages) replaySince(v *visit) error {
	since, err := time.ParseInLocation("2006-01-02T15:04", v.field("since"), ist.Zone())
	if err != nil {
		err = refuse("Choose a day and an hour.")
	} else {
		var n int
		n, err = e.Callbacks.ReplayCallbacksSince(v.Context(), v.Actor(), central.MerchantID(v.path("merchant")), since)
		if err == nil && n == 0 {
			err = refuse("This merchant has no callback since then, except those that are being sent now.")
		}
	}
	return e.afterCallbackStep(v, err, "all-replayed")
}
