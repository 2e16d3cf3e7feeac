package contract

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/customer"
	"galla/central/form"
	"galla/central/iin"
	"galla/shared/op"
)

// kindOf gives the transaction type that a route has at the bank network.
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

// readTransaction reads the request of section 2.2.
func (d *Dispatcher) readTransaction(c *call) step {
	kind := kindOf(c.binding.route.ID)
	in := &c.in
	request := central.BankRequest{
		Kind:      kind,
		Aadhaar:   in.Aadhaar("AadharNo", form.Must),
		Amount:    in.Amount("TxnAmount", kind.MovesMoney()),
		Latitude:  in.Degrees("Latitude", form.MaxLatitude),
		Longitude: in.Degrees("Longitude", form.MaxLongitude),
		Customer:  in.Name("CustomerName", form.Must, form.MaxName),
		PidData:   in.PidData("PidData"),
		IIN:       in.Bank("BankName", d.banks),
		MID:       c.merchant.MID,
		TID:       c.tid,
	}
	callerRef := in.Ref("clientRefId", form.May)
	return func(ctx context.Context) (central.Reply, error) {
		return d.submit(ctx, c, central.Submission{
			CallerRef: callerRef, NeedsSession: kind != central.KindAgentAuth, Request: request,
		}, central.Subject{
			Kind: kind, Amount: request.Amount, TID: c.tid, Customer: customer.LimitKey(d.cfg.FingerprintKey, request.Aadhaar),
		})
	}
}

// sessionData is section 2.4; the times are absent where no session is active.
type sessionData struct {
	Authenticated   bool   `json:"authenticated"`
	TID             string `json:"tid"`
	AuthenticatedAt string `json:"authenticatedAt,omitzero"`
	ExpiresAt       string `json:"expiresAt,omitzero"`
}

// readAuthStatus reads the agent's session, and never asks the bank
// (section 3.2).
func (d *Dispatcher) readAuthStatus(c *call) step {
	return func(ctx context.Context) (central.Reply, error) {
		s, err := d.store.Session(ctx, c.tid)
		if err != nil && !errors.Is(err, central.ErrNotFound) {
			return central.Reply{}, fmt.Errorf("read the agent session of %s: %w", c.tid, err)
		}
		if err != nil || !time.Now().Before(s.ExpiresAt) {
			return done(200, "No active agent session", sessionData{TID: c.tid}), nil
		}
		return done(200, "Agent session is active", sessionData{
			Authenticated: true, TID: c.tid, AuthenticatedAt: stamp(s.OpenedAt), ExpiresAt: stamp(s.ExpiresAt),
		}), nil
	}
}

// bankData is section 2.5.
type bankData struct {
	IIN  string `json:"iin"`
	Name string `json:"bankName"`
}

func bankList(banks *iin.List) central.Reply {
	list := []bankData{}
	for _, b := range banks.All() {
		list = append(list, bankData{IIN: b.IIN, Name: b.Name})
	}
	return done(200, "Bank list", list)
}

func (d *Dispatcher) readBanks(*call) step {
	return func(context.Context) (central.Reply, error) { return d.bankList, nil }
}
