package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central"
	"galla/central/webhook"
)

// endpointOf reads the endpoint of a receiver, without its secrets.
func endpointOf(c conn, r webhook.Receiver) (webhook.Endpoint, error) {
	e := webhook.Endpoint{Receiver: r}
	var events string
	var err error
	if r.Vendor != "" {
		err = c.one(`SELECT callback_url, callback_events, callback_disabled_at FROM vendors WHERE id = $1`, []any{r.Vendor},
			&e.URL, &events, &e.DisabledAt)
	} else {
		err = c.one(`SELECT callback_url, callback_events, callback_disabled_at FROM merchants WHERE id = $1`, []any{r.Merchant},
			&e.URL, &events, &e.DisabledAt)
	}
	if err != nil || e.URL == "" {
		return e, err
	}
	if err := json.Unmarshal([]byte(events), &e.Events); err != nil {
		return webhook.Endpoint{}, fmt.Errorf("%s: the events of its callback are not a JSON array of texts: %w", r, err)
	}
	return e, nil
}

// endpointFor reads the endpoint that gets the callbacks of a merchant's operations: its
// own, or where it has none its vendor's. Without both, it is the merchant's, without an
// address.
func endpointFor(c conn, m central.MerchantID) (webhook.Endpoint, error) {
	own, err := endpointOf(c, webhook.OfMerchant(m))
	if err != nil || own.URL != "" {
		return own, err
	}
	var vendor central.VendorID
	err = c.one(`SELECT vendor FROM merchants WHERE id = $1`, []any{m}, &vendor)
	if err != nil || vendor == "" {
		return own, err
	}
	e, err := endpointOf(c, webhook.OfVendor(vendor))
	if err == nil && e.URL == "" {
		e = own
	}
	return e, err
}

// Endpoint implements webhook.DeliveryStore.
func (s Webhooks) Endpoint(ctx context.Context, r webhook.Receiver, at time.Time) (webhook.Endpoint, error) {
	return query(ctx, s.task("read the callback endpoint of %s", r), func(c conn) (webhook.Endpoint, error) {
		e, err := endpointOf(c, r)
		if err != nil {
			return e, err
		}
		e.Secrets, err = allRows(c, scanSecret, `SELECT `+secretColumns+` FROM callback_secrets
			WHERE receiver = $1 AND revoked_at IS NULL AND (ends_at IS NULL OR ends_at > $2) ORDER BY created_at, id LIMIT $3`,
			r.String(), at, webhook.MaxSecrets)
		return e, err
	})
}

// SetEndpoint implements webhook.AdminStore.
func (s Webhooks) SetEndpoint(ctx context.Context, r webhook.Receiver, url string, events []string, at time.Time) error {
	stored := [2]any{}
	if url != "" {
		var err error
		if stored, err = callbackOf(central.Merchant{Callback: &central.Callback{URL: url, Events: events}}); err != nil {
			return err
		}
	}
	return s.task("set the callback endpoint of %s", r).change(ctx, func(c conn) error {
		if r.Vendor != "" {
			if err := c.changeRow(central.ErrNotFound, `UPDATE vendors SET callback_url = $1, callback_events = $2, callback_disabled_at = NULL WHERE id = $3`,
				stored[0], stored[1], r.Vendor); err != nil {
				return err
			}
			return moveOwed(c, r, url, at)
		}
		if err := c.changeRow(central.ErrNotFound, `UPDATE merchants SET callback_url = $1, callback_events = $2, callback_disabled_at = NULL WHERE id = $3`,
			stored[0], stored[1], r.Merchant); err != nil {
			return err
		}
		return errors.Join(redirectCallbacks(c, r.Merchant, at), c.raise(topicAccounts))
	})
}

// redirectCallbacks sends the callbacks of a merchant that wait to the endpoint that it has
// now. An attempt in progress ends by itself; the next one goes there.
func redirectCallbacks(c conn, m central.MerchantID, at time.Time) error {
	e, err := endpointFor(c, m)
	if err != nil {
		return err
	}
	if _, err := c.exec(`UPDATE callbacks SET vendor = $1 WHERE merchant = $2 AND state = 'waiting'`, orNull(e.Receiver.Vendor), m); err != nil {
		return err
	}
	reason := ""
	switch {
	case e.URL == "":
		reason = reasonNoEndpoint
	case !e.DisabledAt.IsZero():
		reason = reasonDisabled
	}
	if reason != "" {
		_, err = c.exec(`UPDATE callbacks SET `+setGivenUp+` WHERE merchant = $3 AND state = 'waiting' AND node IS NULL`, reason, at, m)
	} else {
		_, err = c.exec(`UPDATE callbacks SET due_at = $1 WHERE merchant = $2 AND state = 'waiting' AND node IS NULL AND due_at > $1`, at, m)
	}
	return err
}

// moveOwed makes what waits for a vendor due at its new endpoint, or gives it up where it has
// none any more.
func moveOwed(c conn, v webhook.Receiver, url string, at time.Time) (err error) {
	if url == "" {
		_, err = c.exec(`UPDATE callbacks SET `+setGivenUp+` WHERE receiver = $3 AND state = 'waiting' AND node IS NULL`, reasonNoEndpoint, at, v.String())
	} else {
		_, err = c.exec(`UPDATE callbacks SET due_at = $1 WHERE receiver = $2 AND state = 'waiting' AND node IS NULL AND due_at > $1`, at, v.String())
	}
	return err
}
