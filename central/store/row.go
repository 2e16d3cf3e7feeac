package store

import (
	"fmt"

	"galla/central"
	"galla/shared/op"
)

// operationColumns are all columns of an operation, in the order of scanOperation.
const operationColumns = `id, caller, identity, route, fingerprint, merchant, terminal, tid,
	kind, amount, aadhaar, iin, reference, stan, state, node, not_after, created_at,
	sent_at, bank_not_after, pending_reference, enquiries, next_enquiry, stuck_at, finished_at,
	code, rrn, http, reply, party, caller_ref, original, sender, kyc_service, kyc_to, reverses, charge, attempt, otp_refused`

func scanOperation(row row) (central.Operation, error) {
	var o central.Operation
	var kyc central.KYCStep
	err := row.Scan(&o.ID, &o.Caller, &o.Identity, &o.Route, scanDigest{&o.Fingerprint},
		scanOptional[central.MerchantID]{&o.Merchant}, scanOptional[central.TerminalID]{&o.Terminal}, &o.TID,
		&o.Kind, &o.Amount, &o.Aadhaar, &o.IIN, &o.Reference, &o.STAN, &o.State, &o.Node,
		scanTime{&o.NotAfter}, scanTime{&o.CreatedAt}, scanTime{&o.SentAt}, scanTime{&o.BankNotAfter},
		scanOptional[string]{&o.PendingReference}, &o.Enquiries,
		scanTime{&o.NextEnquiry}, scanTime{&o.StuckAt}, scanTime{&o.FinishedAt},
		&o.Code, &o.RRN, &o.HTTP, &o.Reply,
		scanOptional[string]{&o.Party}, scanOptional[string]{&o.CallerRef}, scanOptional[central.Reference]{&o.Original}, scanOptional[string]{&o.Sender},
		scanOptional[central.Service]{&kyc.Service}, scanOptional[central.KYCState]{&kyc.To}, scanOptional[op.ID]{&o.Reverses}, &o.Charge, &o.Attempt, scanBool{&o.OTPRefused})
	if err != nil {
		return central.Operation{}, fmt.Errorf("read an operation's row: %w", err)
	}
	if kyc.Service != "" {
		o.KYC = &kyc
	}
	return o, nil
}

// operation reads the first operation of a statement that selects or returns
// operationColumns; central.ErrNotFound if there is none.
func (c conn) operation(statement string, args ...any) (central.Operation, error) {
	return firstRow(c, scanOperation, statement, args...)
}

// operations reads all operations of such a statement.
func (c conn) operations(statement string, args ...any) ([]central.Operation, error) {
	return allRows(c, scanOperation, statement, args...)
}
