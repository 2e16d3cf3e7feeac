package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/money"
	"galla/shared/secret"
)

// Names of fields that the counter fills in, or keeps off the disk.
const (
	FieldRef      = "refId"
	FieldAmount   = "amount"
	FieldMerchant = "merchantId"
	FieldMobile   = "sender_mobilenumber"
	FieldOTP      = "otp"

	// FieldReceiptMobile is the number that a receipt is sent to. It is in the body alone,
	// which is sealed, and erased when the message has its outcome.
	FieldReceiptMobile = "mobile"
	FieldLanguage      = "language"

	pidData     = "PidData"
	aadhaar     = "aadhaarno"
	aepsAadhaar = "AadharNo" // interface.md, section 2.2, spells it so
)

// AEPSRequest is the fields of a transaction (interface.md, section 2.2).
type AEPSRequest struct {
	Aadhaar             secret.Aadhaar
	Amount              money.Paise
	Latitude, Longitude string // decimal degrees
	Customer            string
	IIN                 string // empty: none is named
}

// Body writes the request as it rests in the queue: with its Aadhaar number,
// which the queue seals, and without PidData.
func (a AEPSRequest) Body() ([]byte, error) {
	f := Fields{
		aepsAadhaar: jsonString(a.Aadhaar.Reveal()), "TxnAmount": jsontext.Value(a.Amount.Number()),
		"Latitude": jsonString(a.Latitude), "Longitude": jsonString(a.Longitude), "CustomerName": jsonString(a.Customer),
	}
	if a.IIN != "" {
		f["BankName"] = jsonString(a.IIN)
	}
	return f.write()
}

// maxFields bounds a request's fields, in bytes: the longest is an address.
const maxFields = 16 << 10

// Fields are a request's fields as they stand in it.
type Fields map[string]jsontext.Value

// ParseFields reads a request's fields: one JSON object of texts, numbers and truth
// values, none of them a secret that has a place of its own. Empty data has no
// fields. Errors never quote it.
func ParseFields(data []byte) (Fields, error) {
	f := Fields{}
	if len(data) == 0 {
		return f, nil
	}
	if len(data) > maxFields {
		return nil, fmt.Errorf("the request's fields have %d bytes, more than %d", len(data), maxFields)
	}
	if json.Unmarshal(data, &f) != nil || f == nil {
		return nil, errors.New("the request's fields must be one JSON object in UTF-8, with each name once")
	}
	for name, v := range f {
		if v.Kind() == '{' || v.Kind() == '[' {
			return nil, fmt.Errorf("the request's field %q must be a text, a number, true or false", name)
		}
		if slices.ContainsFunc([]string{pidData, FieldOTP, aadhaar, aepsAadhaar}, func(s string) bool { return strings.EqualFold(s, name) }) {
			return nil, fmt.Errorf("the request's fields hold %s, which has a place of its own", name)
		}
	}
	return f, nil
}

// Text gives a field as text; empty where there is none.
func (f Fields) Text(name string) string { return jsonText(f[name]) }

// Mobile gives the customer's mobile number, ten digits, by whichever name the
// request has for it; empty where it names none.
func (f Fields) Mobile() string { return f.mobileIn(FieldMobile, "mobile_number", "mobile_no") }

// ReceiverMobile gives the beneficiary's mobile number, ten digits; empty where the
// request names none.
func (f Fields) ReceiverMobile() string {
	return f.mobileIn("receivermobilenumber", "receiverMobilenumber")
}

// mobileIn gives the first mobile number of ten digits, with or without +91, in the
// fields of these names.
func (f Fields) mobileIn(names ...string) string {
	for _, name := range names {
		m := f.Text(name)
		if len(m) > 10 {
			m = strings.TrimPrefix(strings.TrimPrefix(m, "+"), "91")
		}
		if len(m) == 10 && strings.Trim(m, "0123456789") == "" {
			return m
		}
	}
	return ""
}

// Set puts a text in.
func (f Fields) Set(name, text string) { f[name] = jsonString(text) }

// AmountValue reads the amount, a JSON number of rupees above zero.
func (f Fields) AmountValue() (money.Paise, bool) {
	p, err := money.Parse(string(f[FieldAmount]))
	return p, err == nil && p > 0
}

// Body writes the request as it rests in the queue: with its Aadhaar number, if
// it takes one, which the queue seals.
func (f Fields) Body(number secret.Aadhaar) ([]byte, error) {
	if !number.IsZero() {
		f.Set(aadhaar, number.Reveal())
	}
	return f.write()
}

func (f Fields) write() ([]byte, error) {
	body, err := json.Marshal(f, json.Deterministic(true))
	if err != nil {
		return nil, errors.New("write a request's body: its fields have no JSON form")
	}
	return body, nil
}

var errBody = errors.New("read a queued body: it is not what was written")

// WithSecrets completes a queued body for the connection with what a disk never
// holds. The result lives in memory only.
func WithSecrets(body []byte, pid secret.PidData, otp secret.OTP) ([]byte, error) {
	f := Fields{}
	if json.Unmarshal(body, &f) != nil || f == nil {
		return nil, errBody
	}
	if !pid.IsZero() {
		f.Set(pidData, pid.Reveal())
	}
	if !otp.IsZero() {
		f.Set(FieldOTP, otp.Reveal())
	}
	return f.write()
}

// BodyField gives a field of a queued body as text; empty where there is none.
func BodyField(body []byte, name string) string {
	f := Fields{}
	_ = json.Unmarshal(body, &f) // an erased body has none
	return f.Text(name)
}
