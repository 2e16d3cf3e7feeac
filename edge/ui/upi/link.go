package upi

import (
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/theme"
)

type upiCode struct {
	Link   string      `json:"link"`
	VPA    string      `json:"vpa"`
	Payee  string      `json:"payee"`
	Note   string      `json:"note"` // tn of the link; empty: none
	Order  string      `json:"order"`
	Amount money.Paise `json:"amount"` // 0: the customer types it
}

// errWrongCode says that a code must not be shown: its scan would pay another amount or
// payee than the page says.
var errWrongCode = errors.New("the UPI code of the reply differs from the request")

// readCode parses the code of a reply, and checks the link, which is what a phone reads,
// against the reply and the requested amount.
func readCode(v edge.View, asked money.Paise) (upiCode, error) {
	c, err := readLink(v.ReplyValue("upiLink"))
	if err != nil {
		return upiCode{}, err
	}
	c.Order = v.ReplyValue("order_id")
	switch {
	case v.State != op.Succeeded:
		return upiCode{}, fmt.Errorf("%w: the operation is %s", errWrongCode, v.State)
	case c.Amount != asked:
		return upiCode{}, fmt.Errorf("%w: the amounts differ", errWrongCode)
	case c.VPA != v.ReplyValue("vpa"):
		return upiCode{}, fmt.Errorf("%w: the payees differ", errWrongCode)
	}
	return c, nil
}

// readLink parses NPCI's link. Each parameter occurs once, and the currency is the rupee.
func readLink(link string) (upiCode, error) {
	u, err := url.Parse(link)
	if err != nil || len(link) > maxLink || u.Scheme != "upi" || u.Host != "pay" {
		return upiCode{}, fmt.Errorf("%w: there is no UPI link", errWrongCode)
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return upiCode{}, fmt.Errorf("%w: the link can't be read", errWrongCode)
	}
	for name, values := range q {
		if len(values) > 1 || name != strings.ToLower(name) && q.Has(strings.ToLower(name)) {
			return upiCode{}, fmt.Errorf("%w: a parameter occurs twice", errWrongCode)
		}
	}
	c := upiCode{Link: link, VPA: q.Get("pa"), Payee: q.Get("pn"), Note: q.Get("tn")}
	if c.VPA == "" || !strings.Contains(c.VPA, "@") {
		return upiCode{}, fmt.Errorf("%w: it pays nobody", errWrongCode)
	}
	if cu := q.Get("cu"); cu != "" && cu != "INR" {
		return upiCode{}, fmt.Errorf("%w: its currency is not the rupee", errWrongCode)
	}
	if am := q.Get("am"); am != "" {
		if c.Amount, err = money.Parse(am); err != nil || c.Amount < 0 {
			return upiCode{}, fmt.Errorf("%w: its amount can't be read", errWrongCode)
		}
	}
	return c, nil
}

// QRImage returns the drawn UPI code of an operation, and its amount, 0 where the customer
// types it; ok is false without a code, and for a code that must not be shown.
func (s *Pages) QRImage(v edge.View) (drawing template.HTML, amount money.Paise, ok bool) {
	asked, known := s.requestedAmount(v.ID)
	if !known {
		return "", 0, false
	}
	c, err := readCode(v, asked)
	if err != nil {
		return "", 0, false
	}
	drawing, err = theme.QRDrawing(c.Link, "")
	return drawing, c.Amount, err == nil
}
