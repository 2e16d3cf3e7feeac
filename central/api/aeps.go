package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/api/field"
	"galla/central/iin"
	"galla/shared/op"
)

// kindOf gives the kind of operation that a route is at the bank network.
func kindOf(route op.RouteID) central.Kind {
	switch route {
	case op.Withdrawal:
		return central.KindWithdrawal
	case op.Balance:
		return central.KindBalance
	case op.MiniStatement:
		return central.KindMiniStatement
	case op.Purchase:
		return central.KindPurchase
	default:
		return central.KindAgentAuth
	}
}

// transaction reads an AEPS request (interface.md, section 2.2).
func (h *Handler) transaction(c *activeRequest) action {
	kind := kindOf(c.endpoint.route.ID)
	in := &c.fields
	request := central.BankRequest{
		Kind:      kind,
		Aadhaar:   in.Aadhaar("AadharNo", field.Must),
		Amount:    in.Amount("TxnAmount", kind.MovesMoney()),
		Latitude:  in.Degrees("Latitude", field.MaxLatitude),
		Longitude: in.Degrees("Longitude", field.MaxLongitude),
		Customer:  in.Name("CustomerName", field.Must, field.MaxName),
		PidData:   in.PidData("PidData"),
		IIN:       in.Bank("BankName", h.banks),
		MID:       c.merchant.MID,
		TID:       c.tid,
	}
	callerRef := in.Ref("clientRefId", field.May)
	return func(ctx context.Context) (central.Reply, error) {
		return h.submit(ctx, c, central.Submission{
			CallerRef: callerRef, NeedsSession: kind != central.KindAgentAuth, Request: request,
		}, central.LimitSubject{
			Kind: kind, Amount: request.Amount, TID: c.tid, Customer: accounts.CustomerLimitKey(h.prints, request.Aadhaar),
		})
	}
}

// sessionData is the reply of interface.md, section 2.4. The times are absent
// while no session is active.
type sessionData struct {
	Authenticated   bool   `json:"authenticated"`
	TID             string `json:"tid"`
	AuthenticatedAt string `json:"authenticatedAt,omitzero"`
	ExpiresAt       string `json:"expiresAt,omitzero"`
}

// agentSession reads the agent's session from the store. It never asks the bank
// (interface.md, section 3.2).
func (h *Handler) agentSession(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) {
		s, err := h.store.Session(ctx, c.tid)
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			return central.Reply{}, fmt.Errorf("read the agent session of %s: %w", c.tid, err)
		}
		if err != nil || !time.Now().Before(s.ExpiresAt) {
			return successReply(200, "No active agent session", sessionData{TID: c.tid}), nil
		}
		return successReply(200, "Agent session is active", sessionData{
			Authenticated: true, TID: c.tid, AuthenticatedAt: isoTime(s.OpenedAt), ExpiresAt: isoTime(s.ExpiresAt),
		}), nil
	}
}

// bankData is one item of the bank list (interface.md, section 2.5).
type bankData struct {
	IIN  string `json:"iin"`
	Name string `json:"bankName"`
}

func bankList(banks *iin.List) central.Reply {
	list := []bankData{}
	for _, b := range banks.All() {
		list = append(list, bankData{IIN: b.IIN, Name: b.Name})
	}
	return successReply(200, "Bank list", list)
}

func (h *Handler) listBanks(*activeRequest) action {
	return func(context.Context) (central.Reply, error) { return h.bankList, nil }
}
