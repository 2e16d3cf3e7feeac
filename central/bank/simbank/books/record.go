package books

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central/bank/network"
	"galla/shared/ist"
	"galla/shared/money"
)

// state is the state of a transaction (see doc.go).
type state string

const (
	lost      state = "LOST"
	abandoned state = "ABANDONED"
	deferred  state = "DEFERRED"
	approved  state = "APPROVED"
	declined  state = "DECLINED"
	reversed  state = "REVERSED"
)

// record is a row of transactions.
type record struct {
	id         int64
	reference  string
	kind       network.Kind
	stan       string
	mid, tid   string
	iin        string
	amount     money.Paise
	charge     money.Paise // of a transfer
	customer   int64       // 0: none was found
	state      state
	finalState state // of a deferred one
	code       string
	message    string // empty: the code's own
	refusal    network.Refusal
	data       string // JSON, sent with a success; empty: none
	rrn        string
	authCode   string
	balance    *money.Paise // after a debit or of an enquiry
	arrived    time.Time
	due        time.Time // zero unless lost or deferred
	settled    time.Time // zero while lost or deferred
}

const recordColumns = `id, reference, kind, stan, mid, tid, iin, amount_paise, charge_paise, coalesce(customer_id, 0), state,
	coalesce(final_state, ''), code, message, refusal, coalesce(data, ''), rrn, auth_code, balance_paise, arrived_at, coalesce(due_at, 0), coalesce(settled_at, 0)`

func scanRecord(scan func(...any) error) (record, error) {
	var r record
	var balance sql.NullInt64
	var arrived, due, settled int64
	err := scan(&r.id, &r.reference, &r.kind, &r.stan, &r.mid, &r.tid, &r.iin, &r.amount, &r.charge, &r.customer, &r.state,
		&r.finalState, &r.code, &r.message, &r.refusal, &r.data, &r.rrn, &r.authCode, &balance, &arrived, &due, &settled)
	if balance.Valid {
		r.balance = (*money.Paise)(&balance.Int64)
	}
	r.arrived, r.due, r.settled = moment(arrived), moment(due), moment(settled)
	return r, err
}

// moment reads Unix milliseconds; 0 is no time.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// millis writes Unix milliseconds; no time is NULL.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// records reads the rows that match, at most limit.
func (k ledger) records(where string, args []any, limit int) ([]record, error) {
	var out []record
	query := `SELECT ` + recordColumns + ` FROM transactions WHERE ` + where + fmt.Sprintf(` LIMIT %d`, limit)
	err := k.rows("read transactions", query, args, func(scan func(...any) error) error {
		r, err := scanRecord(scan)
		out = append(out, r)
		return err
	})
	return out, err
}

// recordOf finds a transaction by its reference.
func (k ledger) recordOf(reference string) (record, bool, error) {
	found, err := k.records(`reference = ?`, []any{reference}, 1)
	if err != nil || len(found) == 0 {
		return record{}, false, err
	}
	return found[0], true, nil
}

// newRecord begins the row of a transaction that arrives now.
func (k ledger) newRecord(t network.Transaction, now time.Time) (record, error) {
	r := record{
		reference: t.Reference, kind: t.Kind, stan: t.STAN, mid: t.MID, tid: t.TID, iin: t.IIN, amount: t.Amount,
		// What is stored has milliseconds; what is computed from it must agree.
		arrived: time.UnixMilli(now.UnixMilli()),
	}
	if _, err := k.row("count transactions", `SELECT coalesce(max(id), 0) + 1 FROM transactions`, nil, &r.id); err != nil {
		return record{}, err
	}
	r.rrn = rrn(r.arrived, r.id)
	return r, nil
}

func (k ledger) insert(r record) error {
	return k.exec("record the transaction", `INSERT INTO transactions (id, reference, kind, stan, mid, tid, iin, amount_paise, charge_paise,
		customer_id, state, final_state, code, message, refusal, data, rrn, auth_code, balance_paise, arrived_at, due_at, settled_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, nullif(?, ''), ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?)`,
		r.id, r.reference, r.kind, r.stan, r.mid, r.tid, r.iin, r.amount, r.charge,
		r.customer, r.state, r.finalState, r.code, r.message, r.refusal, r.data, r.rrn, r.authCode, (*int64)(r.balance), millis(r.arrived), millis(r.due), millis(r.settled))
}

// finish writes the end of a transaction that was lost or deferred.
func (k ledger) finish(r record) error {
	return k.exec("finish "+r.reference, `UPDATE transactions SET state = ?, final_state = NULL, code = ?, auth_code = ?, due_at = NULL, settled_at = ?
		WHERE id = ?`, r.state, r.code, r.authCode, millis(r.settled), r.id)
}

// rrn is a retrieval reference number in the trade's form: last digit of the
// year, day of the year, and a number that grows; twelve digits, unique for
// 10^8 transactions.
func rrn(at time.Time, id int64) string {
	at = at.In(ist.Zone())
	return fmt.Sprintf("%d%03d%08d", at.Year()%10, at.YearDay(), id%1e8)
}

// authCode draws an issuer's approval code: six letters and digits without
// those that are mistaken for each other.
func authCode(rand io.Reader) (string, error) {
	const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	var b [4]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return "", fmt.Errorf("draw an authorisation code: %w", err)
	}
	bits := binary.BigEndian.Uint32(b[:])
	var code [6]byte
	for i := range code {
		code[i] = letters[bits%32]
		bits /= 32
	}
	return string(code[:]), nil
}

// answerOf is what the bank says of a transaction, now and to any later
// enquiry. A lost one is unknown here.
func answerOf(r record) network.Answer {
	a := network.Answer{
		Reference: r.reference, Code: r.code, Message: cmp.Or(r.message, meanings[r.code]),
		STAN: r.stan, RRN: r.rrn, AuthCode: r.authCode, Balance: r.balance,
		Data: dataOf(r.data), Refusal: r.refusalTo(), Charge: r.charge,
	}
	switch r.state {
	case approved:
		a.Status = network.Success
	case declined:
		a.Status = network.Failed
	case reversed:
		a.Status = network.Reversed
	case deferred:
		a.Status = network.Pending
	case abandoned:
		a.Status, a.RRN = network.Failed, "" // the bank never gave it one
	case lost:
		return unknown(r.reference)
	}
	if r.state != approved {
		a.AuthCode, a.Balance, a.Data = "", nil, nil
	}
	if r.state != approved && r.state != deferred {
		a.Charge = 0 // what was taken is given back
	}
	return a
}

// unknown is the answer about a reference that the bank has not seen.
func unknown(reference string) network.Answer {
	return network.Answer{Reference: reference, Status: network.NotFound, Message: "NOT FOUND"}
}

// dataOf is a record's data in an answer; an empty text is none.
func dataOf(text string) jsontext.Value {
	if text == "" {
		return nil
	}
	return jsontext.Value(text)
}

// codeOTP is the code of a decline for the OTP, and of nothing else.
const codeOTP = "55"

// refusalTo is the refusal in the answer. A refused OTP has its own code.
func (r record) refusalTo() network.Refusal {
	if r.code == codeOTP && r.refusal == "" {
		return network.RefusedOTP
	}
	return r.refusal
}
