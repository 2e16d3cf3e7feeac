package contract

import (
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/dmt"
	"galla/shared/op"
)

// The replies of what is no AEPS transaction: onboarding, remitters, transfers.
// The network's own reply stands in data as it came.

// passed gives the network's reply as it came; nil where there is none.
func passed(a central.BankAnswer) any {
	if len(a.Data) == 0 {
		return nil
	}
	return jsontext.Value(a.Data)
}

// spoken is the interface's message of a success, or the network's where the
// interface has none.
func spoken(message string, a central.BankAnswer) string {
	switch {
	case message != "":
		return message
	case a.Message != "":
		return a.Message
	}
	return "Success"
}

// declined is the reply to a business refusal of the bank: HTTP 200 with its
// code and its words. What the interface has a code of its own for gets that
// (interface-decisions.md): a step out of order and an exceeded limit are 05, a
// missing customer or remitter is 01.
func declined(a central.BankAnswer) (http int, body []byte) {
	switch a.Refusal {
	case central.RefusedOrder, central.RefusedLimit:
		r := refuse(central.Refuse(central.Precluded, a.Message), "")
		return r.HTTP, r.Body
	case central.RefusedAbsent:
		return 200, encode(envelope{StatusCode: statusAbsent, Message: refusalWords(a)})
	}
	return 200, encode(envelope{StatusCode: central.ResponseCode(op.Failed, a.Code), Message: refusalWords(a)})
}

// refusalWords are the bank's words of a decline.
func refusalWords(a central.BankAnswer) string {
	if a.Message == "" {
		return "Declined by the bank"
	}
	return a.Message
}

// statusAbsent is the statusCode of a DMT not-found.
const statusAbsent = "01"

// answeredService is the final reply of an operation that is no AEPS
// transaction.
func answeredService(o central.Operation, to op.State, a central.BankAnswer) (http int, body []byte) {
	if dmt.Transfers(o.Kind) {
		return answeredTransfer(o, to, a)
	}
	write, ok := successes()[o.Route]
	switch {
	case to == op.Succeeded && ok:
		return write(o, a)
	case to == op.Succeeded:
		route, _ := dmt.Find(o.Route)
		if route.Bare {
			a.Data = nil
		}
		return 200, encode(envelope{StatusCode: statusOK, Message: spoken(route.Message, a), Data: passed(a)})
	}
	return declined(a)
}

// success writes the reply of a route to an approval.
type success func(o central.Operation, a central.BankAnswer) (http int, body []byte)

// successes are the routes whose success is not the bare envelope.
func successes() map[op.RouteID]success {
	return map[op.RouteID]success{
		op.AgentInitialize: answeredInitialize,
		op.AgentOnboarding: answeredOnboarding,
	}
}

// unanswered is the reply while the bank's word on a step is missing that moves
// no money: not a success, since the next step would then be out of order.
type unanswered struct {
	StatusCode string `json:"statusCode"`
	Message    string `json:"message"`
	Reference  string `json:"reference,omitzero"`
}

// pendingService is the reply while the bank's word is missing. Steps may be
// repeated, so the words ask for it; what moves money is pending as AEPS is.
func pendingService(o central.Operation, reference string) central.Reply {
	if dmt.Transfers(o.Kind) {
		return pendingTransfer(o, reference)
	}
	return central.Reply{HTTP: 502, State: o.State, Body: encode(unanswered{
		StatusCode: faultOf(central.BankUnreachable).statusCode,
		Message:    "The bank has not answered; no money moved. Whether it was done is being asked: repeat the call to learn",
		Reference:  reference,
	})}
}
