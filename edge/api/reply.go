package api

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/money"
)

// Result is what a reply says to people.
type Result struct {
	StatusCode    string // of the envelope
	Message       string // of the envelope
	Code          string // the bank's: ResponseCode (domain.md), or the statusCode of a refusal (DMT); empty: the bank has not answered
	Status        string // ResponseStatus, or status (DMT)
	STAN          string
	Reference     string // ours: RetailerReferenceNumber, transactionId, refundId, or the pending reference
	RRN           string // the bank's: ReferenceNo, or rrn (DMT)
	AuthCode      string
	Balance       *money.Paise
	MiniStatement []string // lines
}

// Bank is one line of the bank list.
type Bank struct {
	IIN  string
	Name string
}

// envelope is the envelope of replies (interface.md, section 2.1).
type envelope struct {
	StatusCode string         `json:"statusCode"`
	Message    string         `json:"message"`
	Reference  string         `json:"reference"`
	Data       jsontext.Value `json:"data"`
}

// aepsData is data of an AEPS transaction (interface.md, section 2.3).
type aepsData struct {
	ResponseCode, ResponseStatus, STAN             string
	Balance                                        *string
	RetailerReferenceNumber, ReferenceNo, AuthCode string
	Ministatement                                  string
}

// dmtData is data of the money routes (interface.md, section 4.4).
type dmtData struct {
	RRN           string         `json:"rrn"`
	TransactionID string         `json:"transactionId"`
	RefundID      string         `json:"refundId"`
	Status        jsontext.Value `json:"status"` // a number in accountVerification, a boolean in details
}

// ParseResult reads a reply for people. One that is not understood gives an
// empty result.
func ParseResult(http int, reply []byte) Result {
	var e envelope
	if json.Unmarshal(reply, &e) != nil {
		return Result{}
	}
	r := Result{StatusCode: e.StatusCode, Message: e.Message, Reference: e.Reference}
	if http == 200 && e.StatusCode != "00" {
		r.Code = e.StatusCode // the bank's own refusal (interface.md, section 7)
	}
	r.readDMT(e.Data)
	r.readAEPS(e.Data)
	return r
}

func (r *Result) readDMT(data jsontext.Value) {
	var d dmtData
	if json.Unmarshal(data, &d) != nil {
		return
	}
	r.RRN = d.RRN
	if d.Status.Kind() == '"' {
		r.Status = jsonText(d.Status)
	}
	for _, ours := range []string{d.TransactionID, d.RefundID} {
		if ours != "" {
			r.Reference = ours
		}
	}
}

func (r *Result) readAEPS(data jsontext.Value) {
	var d aepsData
	if json.Unmarshal(data, &d) != nil || d.ResponseCode == "" {
		return
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
}

// ReplyValue gives a value as text, by the interface's name: one of the reply's
// data, or one that stands beside the envelope (otp_reqid of aeps/onboarding).
// Numbers come as they were written, lists and objects as JSON. It is empty
// where there is none.
func ReplyValue(reply []byte, name string) string {
	var top, data map[string]jsontext.Value
	if json.Unmarshal(reply, &top) != nil {
		return ""
	}
	if json.Unmarshal(top["data"], &data) == nil {
		if v, ok := data[name]; ok {
			return jsonText(v)
		}
	}
	return jsonText(top[name])
}

// jsonText reads a JSON value for people: a string without its quotes, nothing of
// null, all else as it was written.
func jsonText(v jsontext.Value) string {
	var s string
	if len(v) == 0 || json.Unmarshal(v, &s) == nil { // null reads as ""
		return s
	}
	return string(v)
}

func jsonString(s string) jsontext.Value {
	v, err := jsontext.AppendQuote(nil, s)
	if err != nil { // s is not UTF-8: what can be written of it
		v, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return v
}

// decodeData gives the data of a reference's reply, or an error that names the route.
func decodeData(what string, reply []byte, into any) error {
	var e envelope
	if err := json.Unmarshal(reply, &e); err != nil || e.StatusCode != "00" {
		return fmt.Errorf("%s was not answered: statusCode %q %s", what, e.StatusCode, e.Message)
	}
	if err := json.Unmarshal(e.Data, into); err != nil {
		return fmt.Errorf("read the reply of %s: %w", what, err)
	}
	return nil
}

// ParseSession reads the reply of authStatus (interface.md, section 2.4). Times are the
// central's.
func ParseSession(reply []byte) (active bool, expires time.Time, err error) {
	var d struct {
		Authenticated bool      `json:"authenticated"`
		ExpiresAt     time.Time `json:"expiresAt"`
	}
	err = decodeData("authStatus", reply, &d)
	return d.Authenticated, d.ExpiresAt, err
}

// ParseBanks reads the reply of banks (interface.md, section 2.5).
func ParseBanks(reply []byte) ([]Bank, error) {
	var items []struct {
		IIN  string `json:"iin"`
		Name string `json:"bankName"`
	}
	if err := decodeData("banks", reply, &items); err != nil {
		return nil, err
	}
	banks := make([]Bank, len(items))
	for i, item := range items {
		banks[i] = Bank{IIN: item.IIN, Name: item.Name}
	}
	return banks, nil
}
