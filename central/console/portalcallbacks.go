package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"galla/central"
	"galla/central/webhook"
	"galla/shared/op"
)

// ownEndpoint is where a merchant or the vendor gets callbacks, with the addresses of its
// forms.
type ownEndpoint struct {
	webhook.Endpoint
	Now       time.Time
	Max       int
	SetAt, At string
	WithNone  string // what happens without a URL
}

// ownEndpointPage is the vendor's own endpoint.
type ownEndpointPage struct{ Own ownEndpoint }

// ownMerchantPage is a merchant with where it gets callbacks.
type ownMerchantPage struct {
	central.Merchant
	Own ownEndpoint
	// VendorURL is the vendor's endpoint, where the merchant has none; empty: none.
	VendorURL string
}

// endpointPath is the page of the endpoint that a request is about: a merchant's, or without
// one in the path the vendor's own.
func endpointPath(v *visit) string {
	if m := v.path("merchant"); m != "" {
		return PortalRoot + "merchants/" + m
	}
	return PortalRoot + "endpoint"
}

func pathMerchant(v *visit) central.MerchantID { return central.MerchantID(v.path("merchant")) }

func (p *Portal) endpoint(v *visit) error { return p.showEndpoint(v, http.StatusOK, "") }

// showEndpoint shows the page of the endpoint that the request is about.
func (p *Portal) showEndpoint(v *visit, status int, alert string) error {
	id := pathMerchant(v)
	e, err := p.Own.Endpoint(v.Context(), v.Vendor, id)
	if err != nil {
		return err
	}
	own := ownEndpoint{e, time.Now(), webhook.MaxSecrets, endpointPath(v), endpointPath(v), "Empty: only merchants with a URL of their own get callbacks."}
	if id == "" {
		return v.show(status, page{Name: "own-endpoint", Title: "Callback URL", Back: PortalRoot + "callbacks", Alert: alert, Data: ownEndpointPage{own}})
	}
	own.SetAt, own.WithNone = own.At+"/endpoint", "Empty: its callbacks go to your own URL, if it is set."
	m, err := p.Own.Merchant(v.Context(), v.Vendor, id)
	if err != nil {
		return err
	}
	d := ownMerchantPage{Merchant: m, Own: own}
	if e.URL == "" {
		shared, err := p.Own.Endpoint(v.Context(), v.Vendor, "")
		if err != nil {
			return err
		}
		d.VendorURL = shared.URL
	}
	return v.show(status, page{Name: "own-merchant", Title: m.LegalName, Back: PortalRoot + "merchants", Alert: alert, Data: d})
}

// afterEndpointStep shows the endpoint again after a step.
func (p *Portal) afterEndpointStep(v *visit, err error, done string) error {
	return v.after(err, func(status int, text string) error { return p.showEndpoint(v, status, text) }, endpointPath(v), done)
}

func (p *Portal) setEndpoint(v *visit) error {
	address, id, here := strings.TrimSpace(v.field("url")), pathMerchant(v), endpointPath(v)
	if address == "" && !v.confirmed() {
		d := confirmPage{Question: "Remove your callback URL?", Button: "Remove", Action: here, Back: here, Text: "Callbacks that wait for it are given up. Merchants with a URL of their own still get theirs."}
		if id != "" {
			if _, err := p.Own.Merchant(v.Context(), v.Vendor, id); err != nil {
				return err
			}
			d.Question, d.Action = "Remove the callback URL of this merchant?", here+"/endpoint"
			d.Text = "Its callbacks go to your own endpoint. Without one, those that wait are given up."
		}
		return askToConfirm(v, d)
	}
	err := p.Own.SetEndpoint(v.Context(), v.Actor(), v.Vendor, id, address)
	if invalid := (*webhook.URLError)(nil); errors.As(err, &invalid) {
		err = refuse("Nothing was changed: %s.", invalid)
	}
	return p.afterEndpointStep(v, err, "endpoint")
}

func (p *Portal) addCallbackSecret(v *visit) error {
	made, err := p.Own.AddCallbackSecret(v.Context(), v.Actor(), v.Vendor, pathMerchant(v), time.Time{})
	if errors.Is(err, central.ErrState) {
		err = &refusal{http.StatusConflict, "The largest number of secrets is live: end one first."}
	}
	if err != nil {
		return p.afterEndpointStep(v, err, "")
	}
	return v.show(http.StatusOK, page{Name: "one-time", Title: "Callback secret", Back: endpointPath(v), Data: oneTimePage{
		Lead:  "Every callback to this URL is signed with it from now on, and with its other secret, if there is one.",
		Lines: []labelValue{{"Secret's id", string(made.ID)}, {"Secret", made.Secret.Reveal()}},
		Note:  notShownAgain,
	}})
}

func (p *Portal) endCallbackSecret(v *visit) error {
	ends, err := endTime(v)
	if err == nil {
		err = p.Own.EndCallbackSecret(v.Context(), v.Actor(), v.Vendor, pathMerchant(v), webhook.SecretID(v.path("secret")), ends)
	}
	return p.afterEndpointStep(v, err, endNotice(ends))
}

// ownCallbacksPage is the list of callbacks.
type ownCallbacksPage struct {
	Callbacks []webhook.Callback
	State     webhook.State
	States    []webhook.State
	Merchant  string
	Older     string
}

func (p *Portal) callbacks(v *visit) error {
	q := v.query()
	d := ownCallbacksPage{State: webhook.State(q.Get("state")), Merchant: strings.TrimSpace(q.Get("merchant")), States: callbackStates()}
	var err error
	d.Callbacks, err = p.Own.Callbacks(v.Context(), v.Vendor, webhook.Filter{State: d.State, Merchant: central.MerchantID(d.Merchant), After: op.ID(q.Get("after")), Limit: pageSize + 1})
	if err != nil {
		return afterError(err)
	}
	if len(d.Callbacks) > pageSize {
		d.Callbacks = d.Callbacks[:pageSize]
		d.Older = PortalRoot + "callbacks?" + url.Values{"state": {string(d.State)}, "merchant": {d.Merchant}, "after": {string(d.Callbacks[pageSize-1].Operation)}}.Encode()
	}
	return v.show(http.StatusOK, page{Name: "own-callbacks", Title: "Callbacks", Data: d})
}

func (p *Portal) callback(v *visit) error { return p.showCallback(v, http.StatusOK, "") }

func (p *Portal) showCallback(v *visit, status int, alert string) error {
	c, log, err := p.Own.Callback(v.Context(), v.Vendor, op.ID(v.path("operation")))
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "own-callback", Title: "Callback", Back: PortalRoot + "callbacks", Alert: alert, Data: callbackPage{c, log, max(0, c.Attempts-len(log))}})
}

func (p *Portal) resend(v *visit) error {
	id := v.path("operation")
	err := p.Own.Resend(v.Context(), v.Actor(), v.Vendor, op.ID(id))
	return v.after(err, func(status int, text string) error { return p.showCallback(v, status, text) }, PortalRoot+"callbacks/"+id, "replayed")
}
