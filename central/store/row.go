package store

import "galla/central"

// operationColumns are all columns of an operation, in the order of scanOperation.
const operationColumns = `id, caller, identity, route, fingerprint, merchant, terminal, tid,
	kind, amount, aadhaar, iin, reference, stan, state, node, not_after, created_at,
	sent_at, bank_not_after, pending_reference, enquiries, next_enquiry, stuck_at, finished_at,
	code, rrn, http, reply, party, caller_ref, original, sender, kyc_service, kyc_to, reverses, charge, attempt, otp_refused`

// scanOperation reads an operation. Its variables have the types that dbconn.Assign knows
// without reflection.
func scanOperation(row row, o *central.Operation) error {
	var service, to string
	err := row.Scan((*string)(&o.ID), &o.Caller, &o.Identity, &o.Route, &o.Fingerprint,
		(*string)(&o.Merchant), (*string)(&o.Terminal), &o.TID,
		(*string)(&o.Kind), (*int64)(&o.Amount), &o.Aadhaar, &o.IIN, (*string)(&o.Reference), &o.STAN, (*string)(&o.State), &o.Node,
		&o.NotAfter, &o.CreatedAt, &o.SentAt, &o.BankNotAfter,
		&o.PendingReference, &o.Enquiries,
		&o.NextEnquiry, &o.StuckAt, &o.FinishedAt,
		&o.Code, &o.RRN, &o.HTTP, &o.Reply,
		&o.Party, &o.CallerRef, (*string)(&o.Original), &o.Sender,
		&service, &to, (*string)(&o.Reverses), (*int64)(&o.Charge), &o.Attempt, &o.OTPRefused)
	if service != "" {
		o.KYC = &central.KYCStep{Service: central.Service(service), To: central.KYCState(to)}
	}
	return err
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
