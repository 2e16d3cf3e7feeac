package store

import (
	"fmt"

	"galla/central"
	"galla/shared/op"
)

// operationColumns are all columns of an operation, in the order in which
// scanOperation takes them.
const operationColumns = `id, caller, identity, route, fingerprint, merchant, terminal, tid,
	kind, amount, aadhaar, iin, reference, stan, state, node, not_after, created_at,
	dispatched_at, bank_not_after, pending_reference, attempts, next_enquiry, stuck_at, settled_at,
	code, rrn, http, reply, party, caller_ref, original, sender, kyc_service, kyc_to, reverses, charge, try, otp_refused`

func scanOperation(row row) (central.Operation, error) {
	var o central.Operation
	var kyc central.KYCStep
	err := row.Scan(&o.ID, &o.Caller, &o.Identity, &o.Route, digest{&o.Fingerprint},
		optional[central.MerchantID]{&o.Merchant}, optional[central.TerminalID]{&o.Terminal}, &o.TID,
		&o.Kind, &o.Amount, &o.Aadhaar, &o.IIN, &o.Reference, &o.STAN, &o.State, &o.Node,
		moment{&o.NotAfter}, moment{&o.CreatedAt}, moment{&o.DispatchedAt}, moment{&o.BankNotAfter},
		optional[string]{&o.PendingReference}, &o.Attempts,
		moment{&o.NextEnquiry}, moment{&o.StuckAt}, moment{&o.SettledAt},
		&o.Code, &o.RRN, &o.HTTP, &o.Reply,
		optional[string]{&o.Party}, optional[string]{&o.CallerRef}, optional[central.Reference]{&o.Original}, optional[string]{&o.Sender},
		optional[central.Service]{&kyc.Service}, optional[central.KYCState]{&kyc.To}, optional[op.ID]{&o.Reverses}, &o.Charge, &o.Try, truth{&o.OTPRefused})
	if err != nil {
		return central.Operation{}, fmt.Errorf("read an operation's row: %w", err)
	}
	if kyc.Service != "" {
		o.KYC = &kyc
	}
	return o, nil
}

// kycService and kycTo are an operation's service-KYC step as it is stored.
func kycService(o central.Operation) any {
	if o.KYC == nil {
		return nil
	}
	return string(o.KYC.Service)
}

func kycTo(o central.Operation) any {
	if o.KYC == nil {
		return nil
	}
	return string(o.KYC.To)
}

// operation reads the only operation of a statement that selects or returns
// operationColumns; central.ErrNotFound if there is none.
func (c conn) operation(statement string, args ...any) (central.Operation, error) {
	list, err := c.operations(statement, args...)
	if err != nil {
		return central.Operation{}, err
	}
	if len(list) == 0 {
		return central.Operation{}, central.ErrNotFound
	}
	return list[0], nil
}

// operations reads all operations of such a statement.
func (c conn) operations(statement string, args ...any) ([]central.Operation, error) {
	var list []central.Operation
	err := c.each(statement, args, func(row row) error {
		o, err := scanOperation(row)
		list = append(list, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}
