package api

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/ist"
	"galla/shared/op"
	"galla/shared/secret"
)

// Receipts by SMS (uplink.md, section 10). The customer chooses the number at the counter.
// What the SMS says comes from the central's record alone.

// Limits of receipts by SMS: nobody uses the bank's message service for anything else.
const (
	maxMessages     = 3                   // of one operation that were sent, or may have been
	maxMessageTries = 5                   // to one number, the failed ones included
	receiptLife     = 30 * 24 * time.Hour // shorter than quotas are kept (package retention)
	maxMessageShop  = 30                  // characters; a value of a registered text has no more in India
)

// messageLanguages are the languages of the registered texts.
var messageLanguages = []string{"en", "hi", "mr", "bn", "ta", "te"}

// receiptNames are the kinds with a receipt, as the registered texts name them.
var receiptNames = map[central.Kind]string{
	central.KindWithdrawal: "WITHDRAWAL", central.KindBalance: "BALANCE", central.KindMiniStatement: "STATEMENT", central.KindPurchase: "PURCHASE",
	central.KindTransfer: "TRANSFER", central.KindRefund: "REFUND", central.KindUPIPayment: "PAYMENT", central.KindUPIRefund: "PAYMENT_RETURNED",
}

// receiptOutcomes are the final states of which a receipt tells. What the bank never
// received has no code and no receipt.
var receiptOutcomes = map[op.State]string{op.Succeeded: "DONE", op.Failed: "FAILED", op.Reversed: "REVERSED"}

// sendReceipt sends the receipt of one of the merchant's operations as an SMS.
func (h *Handler) sendReceipt(c *activeRequest) action {
	mobile, language := c.fields.Mobile("mobile", field.Must), c.fields.Enum("language", field.Must, messageLanguages...)
	return func(ctx context.Context) (central.Reply, error) {
		of, err := h.receiptOperation(ctx, c)
		if err != nil {
			return central.Reply{}, err
		}
		name, err := h.messageName(ctx, c, of, mobile)
		if err != nil {
			return central.Reply{}, err
		}
		request := c.newBankRequest(central.KindReceiptMessage)
		request.Particulars = receiptParticulars(of, c.merchant)
		request.Particulars.Mobile, request.Particulars.Language = mobile, language
		// The same receipt in another language is no other message.
		c.body = c.body.Without("language")
		return h.submit(ctx, c, central.Submission{
			Request: request, CallerRef: name,
			Quotas: []central.Quota{{
				Key: "receipt:" + string(of.ID), Period: string(ist.DayOf(of.CreatedAt)), MaxCount: maxMessages, What: "messages with this receipt",
			}},
		}, central.LimitSubject{Kind: central.KindReceiptMessage})
	}
}

// receiptOperation finds the operation whose receipt is sent. Another merchant's gets the
// same reply as an absent one.
func (h *Handler) receiptOperation(ctx context.Context, c *activeRequest) (central.Operation, error) {
	absent := central.NewError(central.NotFound, "No such operation")
	id, err := op.ParseID(c.Params["id"])
	if err != nil {
		return central.Operation{}, absent
	}
	of, err := h.operationByID(ctx, id)
	switch {
	case errors.Is(err, central.ErrNotFound), err == nil && (of.Merchant != c.merchant.ID || of.Tombstone):
		return central.Operation{}, absent
	case err != nil:
		return central.Operation{}, fmt.Errorf("read the operation of a receipt: %w", err)
	case receiptNames[of.Kind] == "":
		return central.Operation{}, central.NewError(central.FailedPrecondition, "This operation has no receipt; nothing was sent")
	case receiptOutcomes[of.State] == "" || of.State == op.Failed && of.Code == "":
		return central.Operation{}, central.NewError(central.FailedPrecondition, "This operation has no outcome that a receipt could say; nothing was sent")
	case time.Since(of.CreatedAt) > receiptLife:
		return central.Operation{}, central.NewError(central.FailedPrecondition, "This operation is more than 30 days old; its receipt is not sent any more")
	}
	return of, nil
}

// messageName is the CallerRef of a receipt to a number: the operation, the masked number
// and a keyed hash, so that the number itself is on no disk. After messages that failed it
// is that of the next attempt. A repeat keeps the name that its first call got.
func (h *Handler) messageName(ctx context.Context, c *activeRequest, of central.Operation, mobile string) (string, error) {
	if c.Identity != "" {
		known, err := h.operationByIdentity(ctx, c.Principal.Caller(), c.Identity)
		if err == nil || !errors.Is(err, central.ErrNotFound) {
			return known.CallerRef, err
		}
	}
	sum := h.prints.Sum(func(mac hash.Hash) {
		_, _ = io.WriteString(mac, "galla/receipt-message/v1\n"+string(of.ID)+"\n"+mobile) // a hash does not fail
	})
	for attempt := 1; attempt <= maxMessageTries; attempt++ {
		name := central.ReceiptMessageName(of.ID, secret.MaskMobile(mobile), hex.EncodeToString(sum[:16]), attempt)
		known, err := h.operationByReference(ctx, c.Principal.Party(), central.ReferenceQuery{CallerRef: name})
		switch {
		case errors.Is(err, central.ErrNotFound):
			return name, nil
		case err != nil:
			return "", fmt.Errorf("look for an earlier message: %w", err)
		case known.State != op.Failed && known.State != op.Refused:
			return name, nil
		}
	}
	return "", central.NewError(central.FailedPrecondition, fmt.Sprintf("The message failed %d times; nothing more is sent to this number", maxMessageTries))
}

// receiptParticulars are the values of a receipt's registered text.
func receiptParticulars(of central.Operation, m central.Merchant) central.Particulars {
	p := central.Particulars{
		Template: "RECEIPT_" + receiptNames[of.Kind] + "_" + receiptOutcomes[of.State],
		Shop:     firstRunes(m.LegalName, maxMessageShop), Receipt: cmp.Or(of.RRN, string(of.Reference)),
	}
	if of.Amount > 0 {
		p.Value = of.Amount.String()
	}
	if last4 := of.Aadhaar[max(0, len(of.Aadhaar)-4):]; len(last4) == 4 && strings.Trim(last4, "0123456789") == "" {
		p.Account = last4 // an operation without a number has no digits
	}
	ended := of.FinishedAt
	if ended.IsZero() {
		ended = of.CreatedAt
	}
	p.Day = ended.In(ist.Zone()).Format("02-01-2006 15:04")
	return p
}

// firstRunes shortens a text to a number of characters.
func firstRunes(text string, most int) string {
	if list := []rune(text); len(list) > most {
		return strings.TrimSpace(string(list[:most]))
	}
	return text
}

// renderReceiptMessage is the success of a receipt by SMS. It shows the number as the
// message's name has it.
func renderReceiptMessage(o central.Operation, _ central.BankAnswer) (http int, body []byte) {
	_, mobile := o.ReceiptOf()
	return 200, encode(envelope{StatusCode: statusOK, Message: "Receipt sent", Data: struct {
		Mobile string `json:"mobile"`
	}{mobile}})
}
