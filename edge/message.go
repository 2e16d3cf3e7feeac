package edge

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// The messages of the interface (sections 2.2 to 2.5), as the counter writes
// and reads them. Their spellings stay in this file.

// aepsRequest is the body of section 2.2 without the biometric.
type aepsRequest struct {
	AadharNo     string
	TxnAmount    json.Number
	Latitude     string
	Longitude    string
	CustomerName string
	PidData      string `json:",omitempty"`
	BankName     string `json:",omitempty"`
}

// requestBody writes a draft's body as it rests in the queue: without PidData.
func requestBody(d Draft, latitude, longitude string) ([]byte, error) {
	return json.Marshal(aepsRequest{
		AadharNo: d.Aadhaar.Reveal(), TxnAmount: json.Number(d.Amount.Number()),
		Latitude: latitude, Longitude: longitude, CustomerName: d.Customer, BankName: d.IIN,
	})
}

// withPidData completes a body for the line. It lives in memory only.
func withPidData(body []byte, pid secret.PidData) ([]byte, error) {
	var r aepsRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("read a queued body: it is not what was written")
	}
	r.PidData = pid.Reveal()
	return json.Marshal(r)
}

// envelope is section 2.1, with the additions of interface-decisions.md.
type envelope struct {
	StatusCode string          `json:"statusCode"`
	Message    string          `json:"message"`
	Reference  string          `json:"reference"`
	Data       json.RawMessage `json:"data"`
}

// aepsData is section 2.3.
type aepsData struct {
	ResponseCode, ResponseStatus, STAN             string
	Balance                                        *string
	RetailerReferenceNumber, ReferenceNo, AuthCode string
	Ministatement                                  string
}

// readResult reads an AEPS reply for people. A reply that is not understood
// gives an empty result: the state, which the central tells beside the reply,
// is what counts.
func readResult(reply []byte) Result {
	var e envelope
	if json.Unmarshal(reply, &e) != nil {
		return Result{}
	}
	r := Result{StatusCode: e.StatusCode, Message: e.Message, Reference: e.Reference}
	var d aepsData
	if len(e.Data) == 0 || json.Unmarshal(e.Data, &d) != nil {
		return r
	}
	r.Code, r.Status, r.STAN, r.RRN, r.AuthCode = d.ResponseCode, d.ResponseStatus, d.STAN, d.ReferenceNo, d.AuthCode
	if d.RetailerReferenceNumber != "" {
		r.Reference = d.RetailerReferenceNumber
	}
	if d.Balance != nil {
		if p, err := money.Parse(*d.Balance); err == nil {
			r.Balance = &p
		}
	}
	for line := range strings.Lines(d.Ministatement) {
		if line = strings.TrimSpace(line); line != "" {
			r.MiniStatement = append(r.MiniStatement, line)
		}
	}
	return r
}

// readSession reads the reply of authStatus (section 2.4). Times are the
// central's.
func readSession(reply []byte) (active bool, expires time.Time, err error) {
	var e envelope
	var d struct {
		Authenticated bool      `json:"authenticated"`
		ExpiresAt     time.Time `json:"expiresAt"`
	}
	if err := json.Unmarshal(reply, &e); err != nil || e.StatusCode != "00" {
		return false, time.Time{}, fmt.Errorf("authStatus was not answered: statusCode %q %s", e.StatusCode, e.Message)
	}
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return false, time.Time{}, fmt.Errorf("read the reply of authStatus: %w", err)
	}
	return d.Authenticated, d.ExpiresAt, nil
}

// readBanks reads the reply of banks (section 2.5).
func readBanks(reply []byte) ([]Bank, error) {
	var e envelope
	var items []struct {
		IIN  string `json:"iin"`
		Name string `json:"bankName"`
	}
	if err := json.Unmarshal(reply, &e); err != nil || e.StatusCode != "00" {
		return nil, fmt.Errorf("banks was not answered: statusCode %q %s", e.StatusCode, e.Message)
	}
	if err := json.Unmarshal(e.Data, &items); err != nil {
		return nil, fmt.Errorf("read the reply of banks: %w", err)
	}
	banks := make([]Bank, len(items))
	for i, item := range items {
		banks[i] = Bank{IIN: item.IIN, Name: item.Name}
	}
	return banks, nil
}

// isAEPS tells whether a route is one of the five that take a finger.
func isAEPS(r op.RouteID) bool {
	switch r {
	case op.Withdrawal, op.Balance, op.MiniStatement, op.ReqAuth, op.Purchase:
		return true
	}
	return false
}
