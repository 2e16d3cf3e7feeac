package api

import (
	"context"
	"errors"
	"io"
	"time"

	"galla/central"
	"galla/central/api/field"
	"galla/central/selfservice"
	"galla/shared/op"
)

// transactionItem is a transaction of one of the vendor's merchants.
type transactionItem struct {
	operationData
	Merchant central.MerchantID `json:"merchantId"`
	Type     central.Kind       `json:"type"`
	Aadhaar  string             `json:"AadharNo,omitzero"` // masked
}

func transactionOf(o central.Operation) transactionItem {
	return transactionItem{operationData: operationOf(o), Merchant: o.Merchant, Type: o.Kind, Aadhaar: selfservice.Aadhaar(o)}
}

// Forms of the list.
const (
	formatJSON = "json"
	formatCSV  = "csv"
)

// states are the states of operations (interface.md, section 3.5).
func states() (words []string) {
	for _, s := range []op.State{op.Received, op.Sent, op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused} {
		words = append(words, string(s))
	}
	return words
}

func kindWords() (words []string) {
	for _, k := range selfservice.TransactionKinds() {
		words = append(words, string(k))
	}
	return words
}

// listOperations lists the transactions of the vendor's merchants, as a page of JSON or all
// of them as CSV.
func (h *Handler) listOperations(c *activeRequest) action {
	limit := c.fields.Limit("limit", maxListed, defaultList)
	q := selfservice.OperationQuery{
		Merchant: central.MerchantID(c.fields.UUID("merchant", field.May)), After: op.ID(c.fields.UUID("after", field.May)), Limit: limit + 1,
		State: op.State(c.fields.Enum("status", field.May, states()...)), Kind: central.Kind(c.fields.Enum("type", field.May, kindWords()...)),
	}
	from, to := parseDays(&c.fields, time.Now())
	format := c.fields.Enum("format", field.May, formatJSON, formatCSV)
	if format == formatCSV && !c.Streams {
		c.fields.Fail("format", "entrance", "must be json here: csv is served on the direct routes only")
	}
	return func(ctx context.Context) (central.Reply, error) {
		q.From, q.To = period(from, to)
		if format == formatCSV {
			q.Limit = selfservice.CSVPage
		}
		found, err := h.cfg.SelfService.Operations(ctx, c.Principal.Vendor, q)
		if errors.Is(err, selfservice.ErrAfter) {
			err = errAfter()
		}
		if err != nil {
			return central.Reply{}, err
		}
		if format == formatCSV {
			vendor := c.Principal.Vendor
			return central.Reply{HTTP: 200, Stream: &central.Stream{ContentType: "text/csv; charset=utf-8; header=present", Name: "operations.csv",
				Write: func(ctx context.Context, w io.Writer) error {
					return selfservice.WriteCSV(ctx, w, found, q, func(ctx context.Context, q selfservice.OperationQuery) ([]central.Operation, error) {
						return h.cfg.SelfService.Operations(ctx, vendor, q)
					})
				}}}, nil
		}
		out, list := pageReply{StatusCode: statusOK, Message: "Operations"}, []transactionItem{}
		if len(found) > limit {
			found = found[:limit]
			out.Next = string(found[limit-1].ID)
		}
		for _, o := range found {
			list = append(list, transactionOf(o))
		}
		out.Data = list
		return central.Reply{HTTP: 200, Body: encode(out)}, nil
	}
}
