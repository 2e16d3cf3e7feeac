package books

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central/bank/network"
	"galla/shared/money"
	"galla/shared/secret"
)

// IsService tells whether a kind is one of the services beside AEPS that are
// recorded: it is decided on through Serve.
func IsService(k network.Kind) bool {
	switch k {
	case network.AgentOnboarding, network.AgentOTPCheck, network.AgentPAN, network.AgentUID, network.AgentBiometric, network.AgentSubmit,
		network.CustomerOnboarding, network.CustomerOTPCheck, network.CustomerUID, network.CustomerBiometric, network.CustomerSubmit,
		network.RemitterRegister, network.AccountVerification, network.BeneficiaryAdd, network.BeneficiaryDelete,
		network.Transfer, network.Refund, network.BCRegister, network.BCAgentRegister, network.BCAgentInitialize,
		network.ReceiptMessage:
		return true
	}
	return false
}

// Request is a request for a service, within the commit that decides on it.
type Request struct {
	network.Transaction
	ID     int64     // of its row
	RRN    string    // that an answer to it will carry
	At     time.Time // when it arrived, whole milliseconds
	Refuse string    // the response code that its scenario asks for after all other rules; else empty

	pid openedPID
}

// Decision is what was decided on a request: the code 00 with Data, or another
// code without.
type Decision struct {
	Code    string
	Message string          // empty: the code's own
	Refusal network.Refusal // beside a decline
	Data    jsontext.Value  // one JSON object
	Charge  money.Paise     // of a transfer
}

// ExecuteService enters a request for a service: rule decides on it, and whatever it
// writes through the Tx is committed together with the request's row and its
// Data, or not at all. A known reference, a late one, a kind that is no service
// and one that the scenario loses never reach rule. ExecuteService returns after the
// commit is on disk; after an error only the books know.
func (b *Books) ExecuteService(ctx context.Context, t network.Transaction, rule func(Tx, Request) (Decision, error)) (network.Answer, Delivery, error) {
	if _, err := b.resolveDue(ctx); err != nil {
		return network.Answer{}, Delivery{}, err
	}
	s := scenarioOf(t)
	var pid openedPID
	if !s.lost && !t.PidData.IsZero() {
		pid = b.openPIDBlock(t) // before the commit, since cryptography takes longer than it
	}
	return b.recordOnce(ctx, t, s, func(k ledger, r record) (network.Answer, error) {
		v, err := b.decide(k, Request{Transaction: t, ID: r.id, RRN: r.rrn, At: r.arrived, Refuse: s.refuse, pid: pid}, rule)
		if err != nil {
			return network.Answer{}, err
		}
		r.code, r.message, r.refusal, r.settled = v.Code, v.Message, v.Refusal, r.arrived
		switch {
		case v.Code != codeApproved:
			r.state = declined
		case s.finalState != "":
			r.state, r.finalState, r.code, r.due, r.settled = deferred, s.finalState, codePending, r.arrived.Add(b.scaled(s.after)), time.Time{}
		default:
			r.state = approved
		}
		if v.Code == codeApproved {
			r.data, r.charge = string(v.Data), v.Charge
		}
		if err := k.insert(r); err != nil {
			return network.Answer{}, err
		}
		if r.state == approved && r.kind == network.Transfer {
			err = k.addTransferMessage(r, r.arrived)
		}
		return answerOf(r), err
	})
}

func (b *Books) decide(k ledger, q Request, rule func(Tx, Request) (Decision, error)) (Decision, error) {
	switch {
	case q.At.After(q.NotAfter):
		return Decision{Code: codeExpired}, nil
	case !IsService(q.Kind):
		return Decision{Code: codeInvalidKind}, nil
	}
	return rule(Tx{b: b, k: k}, q)
}

// Tx is the books within one commit, or as they are committed, for package services. Money
// moves by its methods only; the rows of onboarding,
// remitters, beneficiaries and correspondents are read and written through
// Exec, Row and Rows.
type Tx struct {
	b *Books
	k ledger
}

// ReadTx gives the books as they are committed, for reading, after what is due by
// now was resolved.
func (b *Books) ReadTx(ctx context.Context) (Tx, error) {
	if _, err := b.resolveDue(ctx); err != nil {
		return Tx{}, err
	}
	return Tx{b: b, k: b.db.committed(ctx)}, nil
}

// Commit runs fn in one commit that belongs to no request, such as one that
// services need before the first request. It returns after the commit is on disk.
func (b *Books) Commit(ctx context.Context, fn func(Tx) error) error {
	return b.db.commit(ctx, func(k ledger) error { return fn(Tx{b: b, k: k}) })
}

// Exec writes; what names it in an error.
func (x Tx) Exec(what, query string, args ...any) error { return x.k.exec(what, query, args...) }

// Row reads one row into dest; it reports false where there is none.
func (x Tx) Row(what, query string, args []any, dest ...any) (bool, error) {
	return x.k.row(what, query, args, dest...)
}

// Rows calls each for every row.
func (x Tx) Rows(what, query string, args []any, each func(scan func(...any) error) error) error {
	return x.k.rows(what, query, args, each)
}

// AddMessage puts a text into the inbox of a mobile number.
func (x Tx) AddMessage(mobile string, at time.Time, text string) error {
	return x.k.addMessage(mobile, at, text)
}

// HMAC names a value in the books without holding it: HMAC-SHA-256 under the
// records' key, 32 bytes. use separates the purposes.
func (x Tx) HMAC(use, value string) []byte { return x.b.mac(use, []byte(value)) }

// Aadhaar names a number in the books: its HMAC, its last four digits, and
// whether it is a resident's whom this bank can verify.
func (x Tx) Aadhaar(a secret.Aadhaar) (hmac []byte, last4 string, resident bool, err error) {
	hmac = x.b.aadhaarHMAC(a)
	masked := a.Masked()
	_, resident, err = x.k.customer(hmac)
	return hmac, masked[len(masked)-4:], resident, err
}

// CheckFinger judges the PID block of a request as AEPS does: its cryptography and
// time, its one use, which it takes, and whether the finger is that of the
// request's Aadhaar number. It gives a response code, or empty.
func (x Tx) CheckFinger(q Request) (string, error) {
	if q.PidData.IsZero() {
		return codeFormat, nil
	}
	return x.k.acceptPID(q.pid, q.Transaction, q.ID, q.At)
}
