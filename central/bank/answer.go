package bank

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"galla/central"
	"galla/central/bank/network"
	"galla/shared/money"
)

// Reasons for which a reply is rejected. The operation is pending then.
var (
	errForeignReference = errors.New("the reply is about another reference")
	errForeignSTAN      = errors.New("the reply is about another STAN")
	errStatus           = errors.New("the reply has a status that this protocol does not have here")
	errCode             = errors.New("status and response code of the reply contradict each other")
	errData             = errors.New("the reply lacks the data of its kind, or has data that its kind or status does not have")
	errRefusal          = errors.New("the reply has a refusal that this protocol does not have, or one without a decline")
	errCharge           = errors.New("the reply has a charge that can't be")
	// ErrDuplicate: the network knows the reference already (94). What became
	// of the first request, only an enquiry tells.
	ErrDuplicate = errors.New("the network says that this reference was used before (94)")
)

// checkSent checks the reply to a transaction.
func checkSent(t *network.Transaction, a network.Answer) error {
	if a.Reference == t.Reference && a.Status == network.Failed && a.Code == network.CodeDuplicate {
		return ErrDuplicate
	}
	if err := checkAnswer(t.Reference, a, network.Success, network.Failed, network.Pending); err != nil {
		return err
	}
	return checkAbout(t, a)
}

// checkConsulted checks the reply to a consultation, which is never pending.
func checkConsulted(t *network.Transaction, a network.Answer) error {
	if err := checkAnswer(t.Reference, a, network.Success, network.Failed); err != nil {
		return err
	}
	return checkAbout(t, a)
}

// checkAbout holds a reply against the request that it answers.
func checkAbout(t *network.Transaction, a network.Answer) error {
	// An unknown kind is an AEPS transaction as far as the protocol goes.
	other := t.Kind.Known() && !t.Kind.AEPS()
	switch {
	case a.STAN != t.STAN:
		return errForeignSTAN
	case other && a.Status == network.Success && a.Data == nil, !other && a.Data != nil:
		return errData
	case !other && a.Refusal != "":
		return errRefusal
	case t.Kind != network.Transfer && a.Charge != 0:
		return errCharge
	}
	return nil
}

// checkEnquired checks the reply to an enquiry.
func checkEnquired(t *network.Transaction, a network.Answer) error {
	return checkAnswer(t.Reference, a, network.Success, network.Failed, network.Pending, network.Reversed, network.NotFound)
}

func checkAnswer(reference string, a network.Answer, statuses ...network.Status) error {
	switch {
	case a.Reference != reference:
		return errForeignReference
	case !slices.Contains(statuses, a.Status):
		return errStatus
	case (a.Status == network.Success) != (a.Code == network.CodeApproved):
		return errCode
	case a.Status == network.Failed && !isCode(a.Code):
		return errCode
	case a.Data != nil && (a.Status == network.Failed || a.Status == network.NotFound):
		return errData
	case !a.Refusal.Valid(), a.Refusal != "" && a.Status != network.Failed:
		return errRefusal
	case a.Charge < 0 || a.Charge > money.Max:
		return errCharge
	}
	return nil
}

// isCode tells whether a text has the form of a response code: two capital
// letters or digits.
func isCode(s string) bool {
	return len(s) == 2 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// answer translates a reply that was checked into the central's words.
func (c *Client) answer(reference string, a network.Answer) central.BankAnswer {
	statement := ""
	if a.MiniStatement != "" {
		statement = c.transactionsOf(a.MiniStatement, reference)
	}
	return central.BankAnswer{
		Status: central.BankStatus(a.Status), Code: a.Code, Message: a.Message, STAN: a.STAN,
		RRN: a.RRN, AuthCode: a.AuthCode, Balance: a.Balance, MiniStatement: statement,
		Data: a.Data, Refusal: central.Refusal(a.Refusal), Charge: a.Charge,
	}
}

// transactionsOf are the transactions of a mini statement. One of which nothing is
// left is a spelling that we do not know, or an account without transactions; people
// must find out which.
func (c *Client) transactionsOf(statement, reference string) string {
	out := transactions(statement)
	if out == "" {
		c.log.Warn("no line of the bank's mini statement reads as a transaction: if the customer has some, the issuer writes them in a form that is not known here", "reference", reference, "lines", 1+strings.Count(strings.TrimSpace(statement), "\n"))
	}
	return out
}

// errHTTP is a reply that is not 200; its body is not shown.
func errHTTP(status int) error {
	switch status {
	case 401:
		return errors.New("the network answered HTTP 401: it refuses our checksum, so the shared keys differ")
	case 503:
		return errors.New("the network answered HTTP 503: it is too busy")
	}
	return fmt.Errorf("the network answered HTTP %d instead of 200", status)
}
