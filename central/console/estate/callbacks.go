package estate

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"galla/central"
	"galla/central/console"
	"galla/central/duty"
	"galla/central/operator"
	"galla/shared/op"
	"galla/shared/secret"
)

// Callbacks is where callbacks and their secrets are kept.
type Callbacks interface {
	duty.CallbackDesk
	SecretsOf(ctx context.Context, m central.MerchantID) ([]duty.CallbackSecret, error)
	RevokeSecret(ctx context.Context, id duty.SecretID, at time.Time) error
}

// Receivers knows merchants' receivers.
type Receivers interface {
	// CheckURL tells whether a URL can be an endpoint, in words for people.
	CheckURL(url string) error
	// Place gives what of a URL is shown: scheme and host.
	Place(url string) string
	// MintSecret makes a secret, which is shown once. The errors are those of
	// duty.CallbackSecrets.
	MintSecret(ctx context.Context, m central.MerchantID) (duty.SecretID, secret.Token, error)
}

func (e *Estate) callbackRoutes() []console.Route {
	return []console.Route{
		get("callbacks", operator.Viewer, e.callbacks),
		get("callbacks/{operation}", operator.Viewer, e.callback),
		free("it tells again what was told, to the endpoint that is set", post("callbacks/{operation}/replay", operator.Operator, e.replay)),
		post("merchants/{merchant}/endpoint", operator.Operator, e.setEndpoint),
		post("merchants/{merchant}/secrets", operator.Operator, e.mintSecret),
		post("merchants/{merchant}/secrets/{secret}/revoke", operator.Operator, e.revokeSecret),
		free("it tells again what was told, to the endpoint that is set", post("merchants/{merchant}/replay", operator.Operator, e.replaySince)),
	}
}

// callbacksPage is the list's data.
type callbacksPage struct {
	Callbacks []duty.Callback
	Counts    duty.CallbackCounts
	Merchant  string
	State     duty.CallbackState
	States    []duty.CallbackState
	More      bool
}

func (e *Estate) callbacks(v *console.Visit) {
	q := v.Query()
	d := callbacksPage{Merchant: strings.TrimSpace(q.Get("merchant")), State: duty.CallbackState(q.Get("state")),
		States: []duty.CallbackState{duty.CallbackWaiting, duty.CallbackDelivered, duty.CallbackGivenUp}}
	var err error
	if d.Callbacks, err = e.Callbacks.CallbacksOf(v.Context(), duty.CallbackFilter{Merchant: central.MerchantID(d.Merchant), State: d.State, Limit: pageSize + 1}); err == nil {
		d.Counts, err = e.Callbacks.CallbackCounts(v.Context())
	}
	if err != nil {
		v.Fail(err)
		return
	}
	if d.More = len(d.Callbacks) > pageSize; d.More {
		d.Callbacks = d.Callbacks[:pageSize]
	}
	v.Show(http.StatusOK, console.Page{Name: "callbacks", Title: "Callbacks", Data: d})
}

// callbackPage is one callback's data.
type callbackPage struct {
	duty.Callback
	Log     []duty.Attempt
	Missing int // attempts that were begun and of which nothing is noted
}

func (e *Estate) callback(v *console.Visit) { e.showCallback(v, http.StatusOK, "") }

func (e *Estate) showCallback(v *console.Visit, status int, alert string) {
	c, log, err := e.Callbacks.Callback(v.Context(), op.ID(v.Path("operation")))
	if err != nil {
		v.Fail(err)
		return
	}
	v.Show(status, console.Page{Name: "callback", Title: "Callback", Back: console.Root + "callbacks", Alert: alert,
		Data: callbackPage{c, log, max(0, c.Attempts-len(log))}})
}

func (e *Estate) replay(v *console.Visit) {
	id := op.ID(v.Path("operation"))
	err := v.Do(operator.Change{What: "callback.replay", Subject: string(id)}, func(ctx context.Context) error {
		return e.Callbacks.Replay(ctx, id, time.Now())
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showCallback(v, status, text)
		}
		return
	}
	v.To(console.Root+"callbacks/"+string(id), "replayed")
}

// step carries out a change of a merchant's callbacks, and tells its error on the
// merchant's page.
func (e *Estate) step(v *console.Visit, c operator.Change, done string, do func(ctx context.Context, m central.MerchantID) error) {
	m := central.MerchantID(v.Path("merchant"))
	c.Subject = string(m)
	if err := v.Do(c, func(ctx context.Context) error { return do(ctx, m) }); err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showMerchant(v, m, status, text)
		}
		return
	}
	v.To(console.Root+"merchants/"+string(m), done)
}

// setEndpoint sets where a merchant is told; ending it gives up what waits, and is
// asked about once more.
func (e *Estate) setEndpoint(v *console.Visit) {
	url := strings.TrimSpace(v.Form("url"))
	here := console.Root + "merchants/" + v.Path("merchant")
	if url == "" && !v.Sure() {
		ask(v, sure{Question: "End the callbacks of this merchant?", Button: "Yes, end them", Action: here + "/endpoint", Back: here,
			Text: "What waits to be told is given up. The merchant is told nothing until it has an endpoint again."})
		return
	}
	c := operator.Change{What: "callback.endpoint", Became: "none"}
	wrong := error(nil)
	if url != "" {
		if wrong = e.Receivers.CheckURL(url); wrong == nil {
			c.Became = e.Receivers.Place(url)
		}
	}
	e.step(v, c, "endpoint", func(ctx context.Context, m central.MerchantID) error {
		if wrong != nil {
			return console.Refuse("Nothing was changed: %s.", wrong)
		}
		return e.Callbacks.SetEndpoint(ctx, m, url, []string{duty.EventSettled}, time.Now())
	})
}

func (e *Estate) mintSecret(v *console.Visit) {
	m, err := e.Roll.Merchant(v.Context(), central.MerchantID(v.Path("merchant")))
	if err != nil {
		v.Fail(err)
		return
	}
	var id duty.SecretID
	var text secret.Token
	err = v.Do(operator.Change{What: "callback.secret.mint", Subject: string(m.ID)}, func(ctx context.Context) (err error) {
		id, text, err = e.Receivers.MintSecret(ctx, m.ID)
		return err
	})
	if err != nil {
		if status, text, ok := v.Told(err); ok {
			e.showMerchant(v, m.ID, status, text)
		}
		return
	}
	v.Show(http.StatusOK, console.Page{Name: "once", Title: "Callback secret", Back: console.Root + "merchants/" + string(m.ID), Data: once{
		Lead:  "Every callback of " + m.LegalName + " is signed with it from now on, and with the merchant's other secret, if there is one.",
		Lines: []line{{"Secret's id", string(id)}, {"Secret", text.Reveal()}},
		Note:  "It is not shown again: the central keeps it sealed. Hand it over by a way that only the merchant reads.",
	}})
}

// ownSecret tells whether a secret is the merchant's.
func (e *Estate) ownSecret(ctx context.Context, m central.MerchantID, id duty.SecretID) error {
	list, err := e.Callbacks.SecretsOf(ctx, m)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.ID == id {
			return nil
		}
	}
	return central.ErrNotFound
}

func (e *Estate) revokeSecret(v *console.Visit) {
	id := duty.SecretID(v.Path("secret"))
	here := console.Root + "merchants/" + v.Path("merchant")
	if err := e.ownSecret(v.Context(), central.MerchantID(v.Path("merchant")), id); err != nil {
		v.Fail(err)
		return
	}
	if !v.Sure() {
		ask(v, sure{Question: "Revoke this secret?", Button: "Yes, revoke", Action: here + "/secrets/" + string(id) + "/revoke", Back: here,
			Text: "Nothing is signed with it any more. A merchant without a live secret is told nothing until it has one."})
		return
	}
	e.step(v, operator.Change{What: "callback.secret.revoke", Note: "secret " + string(id), Became: "revoked"}, "secret-revoked", func(ctx context.Context, _ central.MerchantID) error {
		return e.Callbacks.RevokeSecret(ctx, id, time.Now())
	})
}

// replaySince tells a merchant again all that settled since a moment.
func (e *Estate) replaySince(v *console.Visit) {
	since, err := time.ParseInLocation("2006-01-02T15:04", v.Form("since"), india)
	e.step(v, operator.Change{What: "callback.replay", Note: "all since " + since.Format(time.RFC3339)}, "all-replayed", func(ctx context.Context, m central.MerchantID) error {
		if err != nil {
			return console.Refuse("Say since which day and hour.")
		}
		n, err := e.Callbacks.ReplaySince(ctx, m, since, time.Now())
		if err == nil && n == 0 {
			err = console.Refuse("No callback of this merchant settled since then, but for those that are being sent now.")
		}
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		return nil
	})
}
