package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/api/field"
	"galla/central/selfservice"
	"galla/central/webhook"
	"galla/shared/ist"
	"galla/shared/op"
)

// endpointData is where a merchant or the vendor gets callbacks, with the secrets that sign
// them.
type endpointData struct {
	URL        string       `json:"url"` // empty: none
	Events     []string     `json:"events"`
	DisabledAt string       `json:"disabledAt,omitzero"`
	Secrets    []secretData `json:"secrets"`
}

// pathMerchant is the merchant that the path names; empty: the route is the vendor's own.
func (c *activeRequest) pathMerchant() central.MerchantID {
	return central.MerchantID(c.Params["merchantId"])
}

// noMerchant is the reply to a merchant that is not the vendor's, or absent.
func noMerchant(err error) error {
	if errors.Is(err, central.ErrNotFound) {
		return central.NewError(central.MerchantNotFound, "")
	}
	return err
}

func (h *Handler) showEndpoint(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) { return h.endpointReply(ctx, c, "Callback endpoint") }
}

func (h *Handler) endpointReply(ctx context.Context, c *activeRequest, message string) (central.Reply, error) {
	e, err := h.cfg.SelfService.Endpoint(ctx, c.Principal.Vendor, c.pathMerchant())
	if err != nil {
		return central.Reply{}, noMerchant(err)
	}
	data := endpointData{URL: e.URL, Events: append([]string{}, e.Events...), DisabledAt: isoTime(e.DisabledAt), Secrets: []secretData{}}
	for _, x := range e.Secrets {
		data.Secrets = append(data.Secrets, secretData{ID: string(x.ID), CreatedAt: isoTime(x.CreatedAt), EndsAt: isoTime(x.EndsAt)})
	}
	return successReply(200, message, data), nil
}

func (h *Handler) setEndpoint(c *activeRequest) action {
	url := c.fields.URL("url", field.Must)
	return func(ctx context.Context) (central.Reply, error) {
		err := h.cfg.SelfService.SetEndpoint(ctx, c.actor(), c.Principal.Vendor, c.pathMerchant(), url)
		if invalid := (*webhook.URLError)(nil); errors.As(err, &invalid) {
			return central.Reply{}, central.NewFieldError("url", "url", "must be an address that callbacks can be sent to: "+invalid.Error())
		}
		if err != nil {
			return central.Reply{}, noMerchant(err)
		}
		return h.endpointReply(ctx, c, "Callback endpoint set")
	}
}

func (h *Handler) removeEndpoint(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) {
		if err := h.cfg.SelfService.SetEndpoint(ctx, c.actor(), c.Principal.Vendor, c.pathMerchant(), ""); err != nil {
			return central.Reply{}, noMerchant(err)
		}
		return successReply(200, "Callback endpoint removed", nil), nil
	}
}

// newCallbackSecretData is a new secret of callbacks. It is not shown again.
type newCallbackSecretData struct {
	ID     webhook.SecretID `json:"id"`
	Secret string           `json:"secret"`
}

func (h *Handler) addCallbackSecret(c *activeRequest) action {
	ends := parseEnd(&c.fields, "formerEndsAt")
	return func(ctx context.Context) (central.Reply, error) {
		made, err := h.cfg.SelfService.AddCallbackSecret(ctx, c.actor(), c.Principal.Vendor, c.pathMerchant(), ends)
		if err != nil {
			return central.Reply{}, selfServiceError(noMerchant(err), "", fmt.Sprintf("There are %d live secrets, the most that are allowed: end one first", webhook.MaxSecrets))
		}
		return successReply(201, "Secret created; it is not shown again", newCallbackSecretData{made.ID, made.Secret.Reveal()}), nil
	}
}

func (h *Handler) endCallbackSecret(c *activeRequest) action {
	id, ends := webhook.SecretID(c.Params["secretId"]), parseEnd(&c.fields, "at")
	return func(ctx context.Context) (central.Reply, error) {
		if err := h.cfg.SelfService.EndCallbackSecret(ctx, c.actor(), c.Principal.Vendor, c.pathMerchant(), id, ends); err != nil {
			return central.Reply{}, selfServiceError(err, "No such secret", "The secret has ended already")
		}
		return successReply(200, endMessage("secret", ends), nil), nil
	}
}

// deliveryData is a callback with the result of its last attempt.
type deliveryData struct {
	Operation op.ID              `json:"operationId"`
	Merchant  central.MerchantID `json:"merchantId"`
	Receiver  op.Role            `json:"receiver"` // whose endpoint gets it
	Event     string             `json:"event"`
	State     webhook.State      `json:"state"`
	CreatedAt string             `json:"createdAt"`
	Attempts  int                `json:"attempts"`
	TriedAt   string             `json:"triedAt,omitzero"`
	HTTP      int                `json:"http,omitzero"`
	Detail    string             `json:"detail,omitzero"`
	NextAt    string             `json:"nextAt,omitzero"`
	EndedAt   string             `json:"endedAt,omitzero"`
	Log       []attemptData      `json:"log,omitzero"`
}

type attemptData struct {
	Number int            `json:"number"`
	At     string         `json:"at"`
	HTTP   int            `json:"http,omitzero"`
	Detail string         `json:"detail,omitzero"`
	Result webhook.Result `json:"result"`
}

func deliveryOf(x webhook.Callback) deliveryData {
	return deliveryData{
		Operation: x.Operation, Merchant: x.Merchant, Receiver: x.Receiver().Role(), Event: x.Event, State: x.State, CreatedAt: isoTime(x.CreatedAt), Attempts: x.Attempts,
		TriedAt: isoTime(x.TriedAt), HTTP: x.HTTP, Detail: x.Detail, NextAt: isoTime(x.DueAt), EndedAt: isoTime(x.EndedAt),
	}
}

// pageReply is the envelope of a list in pages. Next is absent on the last page.
type pageReply struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	Data       any    `json:"data"`
	Next       string `json:"next,omitzero"`
}

// period is from the beginning of an Indian day to the end of another.
func period(from, to ist.Day) (begins, ends time.Time) {
	begins, _, _ = from.Bounds() // parseDays has checked both
	_, ends, _ = to.Bounds()
	return begins, ends
}

// errAfter is the reply where a page should follow a record that the vendor does not have.
func errAfter() error {
	return central.NewFieldError("after", "known", "must be the id with which an earlier page said that the next one begins")
}

func (h *Handler) listCallbacks(c *activeRequest) action {
	limit := c.fields.Limit("limit", maxListed, defaultList)
	f := webhook.Filter{
		Merchant: central.MerchantID(c.fields.UUID("merchant", field.May)), After: op.ID(c.fields.UUID("after", field.May)), Limit: limit + 1,
		State: webhook.State(c.fields.Enum("status", field.May, string(webhook.StateWaiting), string(webhook.StateDelivered), string(webhook.StateGivenUp))),
	}
	from, to := parseDays(&c.fields, time.Now())
	return func(ctx context.Context) (central.Reply, error) {
		f.Since, f.Until = period(from, to)
		found, err := h.cfg.SelfService.Callbacks(ctx, c.Principal.Vendor, f)
		if errors.Is(err, selfservice.ErrAfter) {
			err = errAfter()
		}
		if err != nil {
			return central.Reply{}, err
		}
		out, list := pageReply{StatusCode: statusOK, Message: "Callbacks"}, []deliveryData{}
		if len(found) > limit {
			found = found[:limit]
			out.Next = string(found[limit-1].Operation)
		}
		for _, x := range found {
			list = append(list, deliveryOf(x))
		}
		out.Data = list
		return central.Reply{HTTP: 200, Body: encode(out)}, nil
	}
}

// errNoCallback is the message for a callback that the vendor does not have.
const errNoCallback = "No such callback"

func (h *Handler) showCallback(c *activeRequest) action {
	id := op.ID(c.Params["operationId"])
	return func(ctx context.Context) (central.Reply, error) {
		x, attempts, err := h.cfg.SelfService.Callback(ctx, c.Principal.Vendor, id)
		if err != nil {
			return central.Reply{}, selfServiceError(err, errNoCallback, "")
		}
		data := deliveryOf(x)
		for _, a := range attempts {
			data.Log = append(data.Log, attemptData{a.Number, isoTime(a.At), a.HTTP, a.Detail, a.Result})
		}
		return successReply(200, "Callback", data), nil
	}
}

func (h *Handler) resendCallback(c *activeRequest) action {
	id := op.ID(c.Params["operationId"])
	return func(ctx context.Context) (central.Reply, error) {
		if err := h.cfg.SelfService.Resend(ctx, c.actor(), c.Principal.Vendor, id); err != nil {
			return central.Reply{}, selfServiceError(err, errNoCallback, "The callback is being sent at this moment, or the operation has none: it was never pending, or is not finished")
		}
		return successReply(200, "The callback is sent now", nil), nil
	}
}
