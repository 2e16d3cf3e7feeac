package api

import (
	"context"
	"errors"
	"fmt"

	"galla/central"
	"galla/shared/op"
)

// action does a route's work, once everything in the request was found valid.
type action func(ctx context.Context) (central.Reply, error)

// endpoint ties a route to its code.
type endpoint struct {
	route op.Route
	// actsForMerchant: the route acts for one merchant, whom a vendor must name.
	actsForMerchant bool
	// prepare reads the request's fields, records what is wrong in
	// activeRequest.fields, and returns the action to run if nothing is.
	prepare func(c *activeRequest) action
}

func plain(prepare func(*activeRequest) action) endpoint { return endpoint{prepare: prepare} }

func forMerchant(prepare func(*activeRequest) action) endpoint {
	return endpoint{actsForMerchant: true, prepare: prepare}
}

// newEndpoints lists the code of every route, in the order of interface.md, section 4.
func (h *Handler) newEndpoints() map[op.RouteID]endpoint {
	all := map[op.RouteID]endpoint{
		op.AgentStatus: forMerchant(h.agentStatus),
		op.AgentDetail: forMerchant(h.agentDetail),

		op.Withdrawal:    forMerchant(h.transaction),
		op.Balance:       forMerchant(h.transaction),
		op.MiniStatement: forMerchant(h.transaction),
		op.ReqAuth:       forMerchant(h.transaction),
		op.Purchase:      forMerchant(h.transaction),
		op.AuthStatus:    forMerchant(h.agentSession),
		op.Banks:         plain(h.listBanks),
		op.AEPSRequery:   forMerchant(h.requeryTransaction),

		op.Transfer:        forMerchant(h.transfer),
		op.TransferRequery: forMerchant(h.requeryTransfer),
		op.RefundOTP:       forMerchant(h.refundOTP),
		op.Refund:          forMerchant(h.refund),

		op.GenerateQR:  forMerchant(h.generateQR),
		op.UPIStatus:   h.received(h.orderStatus),
		op.UPIPayments: h.received(h.listPayments),

		op.VendorMerchants: plain(h.listMerchants),
		op.VendorMe:        plain(h.showVendor),
		op.SlabList:        plain(h.listSlabs),
		op.SlabCreate:      plain(h.createSlab),
		op.SlabChange:      plain(h.changeSlab),
		op.SlabDelete:      plain(h.deleteSlab),
		op.Earnings:        plain(h.reportEarnings),

		op.VendorKeys:           h.own(h.listKeys),
		op.VendorKeyAdd:         h.own(h.addKey),
		op.VendorKeyEnd:         h.own(h.endKey),
		op.VendorClients:        h.own(h.listClients),
		op.VendorSecretAdd:      h.own(h.addClientSecret),
		op.VendorSecretEnd:      h.own(h.endClientSecret),
		op.CallbackEndpoint:     h.own(h.showEndpoint),
		op.CallbackEndpointSet:  h.own(h.setEndpoint),
		op.CallbackEndpointEnd:  h.own(h.removeEndpoint),
		op.CallbackSecretAdd:    h.own(h.addCallbackSecret),
		op.CallbackSecretEnd:    h.own(h.endCallbackSecret),
		op.VendorEndpoint:       h.own(h.showEndpoint),
		op.VendorEndpointSet:    h.own(h.setEndpoint),
		op.VendorEndpointEnd:    h.own(h.removeEndpoint),
		op.EndpointSecretAdd:    h.own(h.addCallbackSecret),
		op.EndpointSecretEnd:    h.own(h.endCallbackSecret),
		op.VendorCallbacks:      h.own(h.listCallbacks),
		op.VendorCallback:       h.own(h.showCallback),
		op.VendorCallbackResend: h.own(h.resendCallback),
		op.VendorOperations:     h.own(h.listOperations),

		op.LimitsInForce:  plain(h.listLimits),
		op.MintTerminal:   forMerchant(h.mintTerminal),
		op.ListTerminals:  forMerchant(h.listTerminals),
		op.RevokeTerminal: forMerchant(h.revokeTerminal),
		op.EnrolTerminal:  plain(h.enrolTerminal),
		op.OperationState: plain(h.showOperation),
		op.ReceiptMessage: plain(h.sendReceipt),
	}
	for _, step := range onboardingSteps() {
		all[step.route] = forMerchant(h.agentStep(step))
	}
	for _, route := range forwardRoutes() {
		all[route.ID] = endpoint{actsForMerchant: route.ActsForMerchant, prepare: h.forward(route)}
	}
	return all
}

// checkRoutes adds the route table's lines to the endpoints. It reports routes
// without code and code without a route.
func (h *Handler) checkRoutes() error {
	var wrong []error
	for _, route := range op.Table() {
		e, ok := h.endpoints[route.ID]
		if !ok {
			wrong = append(wrong, fmt.Errorf("route %s has no code", route.ID))
			continue
		}
		e.route = route
		h.endpoints[route.ID] = e
	}
	for id, e := range h.endpoints {
		if e.route.ID == "" {
			wrong = append(wrong, fmt.Errorf("%s has code and no line in the route table", id))
		}
	}
	return errors.Join(wrong...)
}
