package bank

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"galla/central"
	"galla/central/bank/network"
)

// paymentsPerPage is how many payments one query asks for.
const paymentsPerPage = network.MaxPayments

var _ central.PaymentNetwork = (*Client)(nil)

// newQueries makes the client of queries, which move nothing: net/http may repeat them.
func (c *Client) newQueries() *http.Client {
	return &http.Client{
		Timeout: c.cfg.Timeout,
		Transport: &http.Transport{
			DialContext: c.cfg.DialContext, TLSClientConfig: c.tls, MaxIdleConnsPerHost: 2, IdleConnTimeout: defaultMaxIdle, MaxResponseHeaderBytes: maxHead,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Payments implements central.PaymentNetwork.
func (c *Client) Payments(ctx context.Context, q central.PaymentQuery) (central.PaymentPage, error) {
	page, err := c.askPayments(ctx, network.PaymentQuery{
		Reference: queryReference(time.Now()), Payee: q.Payee, TR: q.TR, RRN: q.RRN, From: q.From, To: q.To, After: q.After, Limit: paymentsPerPage,
	})
	if err != nil {
		return central.PaymentPage{}, fmt.Errorf("ask the bank network for payments: %w", err)
	}
	out := central.PaymentPage{Next: page.Next}
	for _, p := range page.Payments {
		out.Payments = append(out.Payments, receivedPayment(p))
	}
	return out, nil
}

// queryReference names a query, so that a reply to an earlier one is not taken for its own.
func queryReference(at time.Time) string {
	return "UPI-" + strings.ToUpper(strconv.FormatInt(at.UnixNano(), 36))
}

func (c *Client) askPayments(ctx context.Context, q network.PaymentQuery) (network.Payments, error) {
	if faults := q.InvalidMembers(); faults != nil {
		return network.Payments{}, fmt.Errorf("these members are wrong: %v", faults)
	}
	body, err := network.EncodePaymentQuery(q)
	if err != nil {
		return network.Payments{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.BaseURL, bytes.NewReader(body))
	if err != nil {
		return network.Payments{}, err
	}
	r.URL.Path = network.PathPayments
	r.Header.Set("Content-Type", network.ContentType)
	r.Header.Set("User-Agent", "galla-central")
	r.Header.Set(network.HeaderChecksum, string(c.checksums.AppendRequest(nil, http.MethodPost, network.PathPayments, body)))
	reply, err := c.queries.Do(r)
	if err != nil {
		return network.Payments{}, fmt.Errorf("%w: %w", errNoReply, err)
	}
	defer func() { _ = reply.Body.Close() }()
	if reply.StatusCode != http.StatusOK {
		return network.Payments{}, errHTTP(reply.StatusCode)
	}
	text, err := network.ReadBody(reply.Body, network.MaxReply)
	if errors.Is(err, network.ErrTooLarge) {
		return network.Payments{}, errLarge
	}
	if err != nil {
		return network.Payments{}, fmt.Errorf("%w: %w", errNoReply, err)
	}
	if got := reply.Header.Values(network.HeaderChecksum); len(got) != 1 || !c.checksums.IsReply(got[0], reply.StatusCode, q.Reference, text) {
		return network.Payments{}, errChecksum
	}
	page, err := network.DecodePayments(text)
	if err != nil {
		return network.Payments{}, err
	}
	if page.Reference != q.Reference {
		return network.Payments{}, errors.New("the answer is to another query")
	}
	for _, p := range page.Payments {
		if faults := p.InvalidMembers(); faults != nil {
			return network.Payments{}, fmt.Errorf("members of a payment in the answer are wrong: %v", faults)
		}
	}
	return page, nil
}

// receivedPayment is a payment in the central's words.
func receivedPayment(p network.Payment) central.ReceivedPayment {
	out := central.ReceivedPayment{
		ID: p.ID, RRN: p.RRN, Payee: p.Payee, TR: p.TR, Amount: p.Amount, At: p.At.UTC().Truncate(time.Millisecond), PayerName: p.PayerName, PayerVPA: p.PayerVPA,
	}
	if r := p.Refund; r != nil {
		out.Refund = &central.PaymentRefund{ID: r.ID, RRN: r.RRN, At: r.At.UTC().Truncate(time.Millisecond)}
	}
	return out
}
