package api

import (
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"

	"galla/shared/op"
)

// Replies of operations that are no AEPS transaction: onboarding, remitters,
// transfers. The network's reply is passed on unchanged in data.

// networkData returns the network's reply unchanged; nil if there is none.
func networkData(a central.BankAnswer) any {
	if len(a.Data) == 0 {
		return nil
	}
	return jsontext.Value(a.Data)
}

// successMessage is the interface's message of a success, or the network's if the
// interface has none.
func successMessage(message string, a central.BankAnswer) string {
	switch {
	case message != "":
		return message
	case a.Message != "":
		return a.Message
	}
	return "Success"
}

// declinedReply is the reply to a decline by the bank: HTTP 200 with the bank's
// code and message. Where the interface has its own code, that is used
// (interface.md, section 7): 05 for a step out of order or an exceeded limit, 01
// for a missing customer or remitter.
func declinedReply(a central.BankAnswer) (http int, body []byte) {
	switch a.Refusal {
	case central.RefusedOrder, central.RefusedLimit:
		r := errorReply(central.NewError(central.FailedPrecondition, a.Message), "")
		return r.HTTP, r.Body
	case central.RefusedNotFound:
		return 200, encode(envelope{StatusCode: statusAbsent, Message: declineMessage(a)})
	}
	return 200, encode(envelope{StatusCode: central.ResponseCode(op.Failed, a.Code), Message: declineMessage(a)})
}

// declineMessage is the bank's message of a decline.
func declineMessage(a central.BankAnswer) string {
	if a.Message == "" {
		return "Declined by the bank"
	}
	return a.Message
}

// statusAbsent is the statusCode of a DMT not-found.
const statusAbsent = "01"

// renderService is the final reply of an operation that is no AEPS transaction.
func renderService(o central.Operation, to op.State, a central.BankAnswer) (http int, body []byte) {
	if isTransfer(o.Kind) {
		return renderTransfer(o, to, a)
	}
	write, ok := successRenderers()[o.Route]
	switch {
	case to == op.Succeeded && ok:
		return write(o, a)
	case to == op.Succeeded:
		route, _ := findForwardRoute(o.Route)
		if route.WithoutData {
			a.Data = nil
		}
		return 200, encode(envelope{StatusCode: statusOK, Message: successMessage(route.Message, a), Data: networkData(a)})
	}
	return declinedReply(a)
}

// successRenderer writes a route's reply to an approval.
type successRenderer func(o central.Operation, a central.BankAnswer) (http int, body []byte)

// successRenderers are the routes whose success is not the plain envelope.
func successRenderers() map[op.RouteID]successRenderer {
	return map[op.RouteID]successRenderer{
		op.AgentInitialize: renderInitialize,
		op.AgentOnboarding: renderOnboarding,
		op.ReceiptMessage:  renderReceiptMessage,
	}
}
