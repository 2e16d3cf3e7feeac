package dmt

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/shared/money"
)

// remitter is the reply of remitter/details (interface.md, section 2.6). Amounts are
// paise; a limit of 0 is unknown.
type remitter struct {
	SenderID         string
	Left, Day        money.Paise
	MonthLeft, Month money.Paise
	Payees           []account
}

// maxPayees bounds the beneficiaries read from one reply.
const maxPayees = 200

var errDetails = errors.New("the remitter's details can't be read")

// readRemitter parses a reply of remitter/details.
func readRemitter(reply []byte) (remitter, error) {
	var e struct {
		Data struct {
			SenderID  string         `json:"senderId"`
			Left      jsontext.Value `json:"AviableLimit"`
			Day       jsontext.Value `json:"AviabledayLimit"`
			MonthLeft jsontext.Value `json:"AviableMonthLimit"`
			Month     jsontext.Value `json:"monthLimit"`
			Payees    []struct {
				ID     jsontext.Value `json:"beneficiaryid"`
				Name   string         `json:"beneficiaryname"`
				Mobile jsontext.Value `json:"beneficiarymobilenumber"`
				Bank   string         `json:"bank"`
				IFSC   string         `json:"ifscode"`
				Number jsontext.Value `json:"accountnumber"`
				Text   string         `json:"accountnumberText"` // with its leading zeros
				Status jsontext.Value `json:"beneficiarystatus"`
			} `json:"beneficiarydetail"`
		} `json:"data"`
	}
	if json.Unmarshal(reply, &e) != nil || e.Data.SenderID == "" {
		return remitter{}, errDetails
	}
	d := e.Data
	m := remitter{SenderID: d.SenderID}
	for _, a := range []struct {
		to   *money.Paise
		text jsontext.Value
	}{{&m.Left, d.Left}, {&m.Day, d.Day}, {&m.MonthLeft, d.MonthLeft}, {&m.Month, d.Month}} {
		if len(a.text) == 0 || a.text.Kind() == 'n' {
			continue
		}
		p, err := money.Parse(string(a.text))
		if err != nil || p < 0 {
			return remitter{}, errDetails
		}
		*a.to = p
	}
	for i, p := range d.Payees {
		if i == maxPayees {
			break
		}
		a := account{ID: wholeNumber(p.ID), Name: p.Name, Number: accountNumber(p.Text, p.Number), IFSC: p.IFSC, Mobile: mobileNumber(p.Mobile), Bank: p.Bank}
		a.Usable = string(p.Status) == "1" && a.ID != "" && a.Number != ""
		m.Payees = append(m.Payees, a)
	}
	return m, nil
}

// wholeNumber returns a whole number as written; "" for anything else.
func wholeNumber(v jsontext.Value) string {
	s := strings.Trim(string(v), `"`)
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return ""
	}
	return s
}

// accountNumber returns the number with its leading zeros: a JSON number has lost them,
// and the rest may be another account.
func accountNumber(text string, number jsontext.Value) string {
	if text != "" {
		return wholeNumber(jsontext.Value(text))
	}
	return wholeNumber(number)
}

// mobileNumber returns a mobile number; a beneficiary without one has 0.
func mobileNumber(v jsontext.Value) string {
	if s := wholeNumber(v); len(s) == mobileDigits {
		return s
	}
	return ""
}

// mobileDigits is the length of an Indian mobile number.
const mobileDigits = 10

// search returns the beneficiaries whose name, bank or account number contains the term.
func (m remitter) search(typed string) []account {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var out []account
	for _, p := range m.Payees {
		if typed == "" || strings.Contains(strings.ToLower(p.Name+"\n"+p.Bank+"\n"+p.IFSC+"\n"+p.Number), typed) {
			out = append(out, p)
		}
	}
	return out
}

// lastDigits returns the last digits of an account number, which people compare.
func (a account) lastDigits() string {
	if len(a.Number) <= 4 {
		return a.Number
	}
	return "…" + a.Number[len(a.Number)-4:]
}
