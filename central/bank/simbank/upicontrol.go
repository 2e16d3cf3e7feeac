package simbank

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/central/bank/simbank/upi"
	"galla/shared/money"
)

// Limits of what /control/upi takes.
const (
	// maxCopies bounds the notifications of one payment beside each other.
	maxCopies = 20
	// maxNotifyDelay is how late a notification may begin.
	maxNotifyDelay = 24 * time.Hour
	// maxPayerName is in characters; masked it fits the network's limit.
	maxPayerName = 60
)

// The payer where a request names none.
const (
	defaultPayerName = "Asha Kulkarni"
	defaultPayerVPA  = "asha.kulkarni@okbank"
)

// paymentJSON is a payment as programs read it; the members are those of the network's
// protocol, and times are texts.
type paymentJSON struct {
	ID          string             `json:"id"`
	RRN         string             `json:"rrn"`
	Payee       string             `json:"payee"`
	TR          string             `json:"tr,omitzero"`
	AmountPaise money.Paise        `json:"amountPaise"`
	At          string             `json:"at"`
	PayerName   string             `json:"payerName"`
	PayerVPA    string             `json:"payerVPA"`
	Refund      *paymentRefundJSON `json:"refund,omitzero"`
}

type paymentRefundJSON struct {
	ID  string `json:"id"`
	RRN string `json:"rrn"`
	At  string `json:"at"`
}

func paymentOf(p network.Payment) paymentJSON {
	out := paymentJSON{p.ID, p.RRN, p.Payee, p.TR, p.Amount, stamp(p.At), p.PayerName, p.PayerVPA, nil}
	if p.Refund != nil {
		out.Refund = &paymentRefundJSON{p.Refund.ID, p.Refund.RRN, stamp(p.Refund.At)}
	}
	return out
}

// paymentEntryJSON is a payment with what the central was told of it.
type paymentEntryJSON struct {
	paymentJSON   `json:",inline"`
	Notifications []toldJSON `json:"notifications"`
}

type toldJSON struct {
	Attempts    int    `json:"attempts"`
	NextAt      string `json:"nextAt,omitzero"`
	DeliveredAt string `json:"deliveredAt,omitzero"`
}

// payments serves GET /books/payments.
func (d *publicPages) payments(w http.ResponseWriter, r *http.Request) {
	f, faults := filter(r.URL, upi.ValidTR) // an id and an RRN are such texts, too
	if faults != nil {
		replyError(w, http.StatusBadRequest, "the query is wrong", faults...)
		return
	}
	list := d.bank.Payments
	if wantsPage(r) {
		list = d.bank.NewestPayments
	}
	found, err := list(r.Context(), f)
	switch {
	case errors.Is(err, books.ErrTooMany):
		replyError(w, http.StatusBadRequest, err.Error())
		return
	case err != nil:
		d.serverError(w, r, err)
		return
	}
	if wantsPage(r) {
		d.page(w, "payments", struct {
			Reference string
			Payments  []books.PaymentEntry
		}{f.Reference, found})
		return
	}
	out := make([]paymentEntryJSON, 0, len(found))
	for _, p := range found {
		e := paymentEntryJSON{paymentOf(p.Payment), []toldJSON{}}
		for _, n := range p.Notifications {
			e.Notifications = append(e.Notifications, toldJSON{n.Attempts, stamp(n.Next), stamp(n.Delivered)})
		}
		out = append(out, e)
	}
	replyJSON(w, http.StatusOK, out)
}

// onlyPost lets POST through.
func (d *publicPages) onlyPost(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			replyError(w, http.StatusMethodNotAllowed, "this path takes POST")
			return
		}
		h(w, r)
	})
}

// controlPay serves POST /control/upi/pay.
func (d *publicPages) controlPay(w http.ResponseWriter, r *http.Request) {
	body, ok := readControl(w, r)
	if !ok {
		return
	}
	p, notice, faults := parsePay(body)
	if faults != nil {
		replyError(w, http.StatusBadRequest, "the body is wrong", faults...)
		return
	}
	paid, err := d.bank.PayUPI(r.Context(), p, notice)
	if err != nil {
		d.serverError(w, r, err)
		return
	}
	replyJSON(w, http.StatusOK, paymentOf(paid))
}

// controlRefund serves POST /control/upi/refund.
func (d *publicPages) controlRefund(w http.ResponseWriter, r *http.Request) {
	body, ok := readControl(w, r)
	if !ok {
		return
	}
	m, faults := parseMembers(body, `{"id": "GSB…"}`, "id", "notify")
	if faults != nil {
		replyError(w, http.StatusBadRequest, "the body is wrong", faults...)
		return
	}
	id := m.text("id", true)
	notice := m.notice()
	if m.faults != nil {
		replyError(w, http.StatusBadRequest, "the body is wrong", m.faults...)
		return
	}
	refunded, err := d.bank.RefundUPI(r.Context(), id, notice)
	switch {
	case errors.Is(err, books.ErrUnknownPayment):
		replyError(w, http.StatusNotFound, err.Error())
	case errors.Is(err, books.ErrPaymentRefunded):
		replyError(w, http.StatusConflict, err.Error())
	case err != nil:
		d.serverError(w, r, err)
	default:
		replyJSON(w, http.StatusOK, paymentOf(refunded))
	}
}

// parsePay reads the body of POST /control/upi/pay, and names every fault.
func parsePay(body []byte) (UPIPayment, Notice, []fault) {
	m, faults := parseMembers(body, `{"upiLink": "upi://pay?…"} or {"vpa": "…", "amount": 12.50}`, "upiLink", "vpa", "order_id", "amount", "payer", "notify")
	if faults != nil {
		return UPIPayment{}, Notice{}, faults
	}
	p := UPIPayment{Payee: m.text("vpa", false), TR: m.text("order_id", false), Amount: m.amount()}
	link := m.text("upiLink", false)
	switch {
	case m.has("upiLink") == m.has("vpa"):
		m.fault("upiLink", "or vpa must be given, and not both")
	case m.has("vpa"):
		m.faultIf(p.Payee != "" && !upi.ValidVPA(p.Payee), "vpa", "must be a name, an @ and a handle, in printable ASCII")
		m.faultIf(!m.has("amount"), "amount", "must be given with a vpa")
		m.faultIf(p.TR != "" && !upi.ValidTR(p.TR), "order_id", "must be at most 35 characters of printable ASCII without spaces")
	default:
		m.faultIf(m.has("order_id"), "order_id", "comes from the link")
		p = m.ofLink(p, link)
	}
	p.PayerName, p.PayerVPA = m.payer()
	notice := m.notice()
	return p, notice, m.faults
}

// ofLink takes payee, transaction reference and amount from a link. An amount beside it is
// paid instead of its own.
func (m *members) ofLink(p UPIPayment, text string) UPIPayment {
	if text == "" {
		return p // its fault is named
	}
	l, err := upi.ParseLink(text)
	if err != nil {
		m.fault("upiLink", err.Error())
		return p
	}
	p.Payee, p.TR = l.Payee, l.TR
	if !m.has("amount") {
		m.faultIf(l.Amount == 0, "amount", "must be given, since the link has none")
		p.Amount = l.Amount
	}
	return p
}

// members are those of a JSON object, with the faults that were found in them.
type members struct {
	values map[string]jsontext.Value
	prefix string // of the names of an object in another
	faults []fault
}

// parseMembers reads a JSON object that has known members only, each once.
func parseMembers(body []byte, example string, known ...string) (*members, []fault) {
	m := &members{}
	if err := json.Unmarshal(body, &m.values); err != nil || m.values == nil {
		return nil, []fault{{"body", "must be a JSON object such as " + example + ", each member once"}}
	}
	m.refuseUnknown(known)
	return m, nil
}

func (m *members) refuseUnknown(known []string) {
	for name := range m.values {
		is := false
		for _, k := range known {
			is = is || k == name
		}
		m.faultIf(!is, name, "is not known here; there are "+strings.Join(known, ", "))
	}
}

func (m *members) has(name string) bool { return m.values[name] != nil }

func (m *members) fault(name, why string) { m.faults = append(m.faults, fault{m.prefix + name, why}) }

func (m *members) faultIf(bad bool, name, why string) {
	if bad {
		m.fault(name, why)
	}
}

// read decodes a member into v, if it is there and no null.
func (m *members) read(name string, v any, why string) {
	if value := m.values[name]; value != nil && (value.Kind() == 'n' || json.Unmarshal(value, v) != nil) {
		m.fault(name, why)
	}
}

// text reads a text that is not empty.
func (m *members) text(name string, must bool) string {
	var s string
	before := len(m.faults)
	m.read(name, &s, "must be a text")
	m.faultIf(len(m.faults) == before && s == "" && (must || m.has(name)), name, "must be a text that is not empty")
	return s
}

// amount reads rupees as the interface writes them: a number, or the same as a text.
func (m *members) amount() money.Paise {
	value := m.values["amount"]
	if value == nil {
		return 0
	}
	text := string(value)
	if value.Kind() == '"' {
		_ = json.Unmarshal(value, &text) // it is a text
	}
	p, err := money.Parse(text)
	m.faultIf(err != nil || p <= 0, "amount", "must be rupees above zero, such as 12.50, with at most two decimals")
	return p
}

// object reads the members of an object in this one, for do; faults get its name.
func (m *members) object(name string, known []string, do func(in *members)) {
	if !m.has(name) {
		return
	}
	in := &members{prefix: name + "."}
	if m.values[name].Kind() != '{' || json.Unmarshal(m.values[name], &in.values) != nil {
		m.fault(name, "must be an object with "+strings.Join(known, ", "))
		return
	}
	in.refuseUnknown(known)
	do(in)
	m.faults = append(m.faults, in.faults...)
}

func (m *members) payer() (name, vpa string) {
	name, vpa = defaultPayerName, defaultPayerVPA
	m.object("payer", []string{"name", "vpa"}, func(in *members) {
		if in.has("name") {
			name = in.text("name", true)
			in.faultIf(name != "" && !validPayerName(name), "name", fmt.Sprintf("must be readable, with at most %d characters", maxPayerName))
		}
		if in.has("vpa") {
			vpa = in.text("vpa", true)
			in.faultIf(vpa != "" && !upi.ValidVPA(vpa), "vpa", "must be a name, an @ and a handle, in printable ASCII")
		}
	})
	return name, vpa
}

// validPayerName tells whether a name can be stored and shown, masked.
func validPayerName(name string) bool {
	return strings.TrimSpace(name) != "" && utf8.RuneCountInString(name) <= maxPayerName && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// notice reads how the central is told.
func (m *members) notice() Notice {
	var n Notice
	m.object("notify", []string{"never", "times", "after", "checksum"}, func(in *members) {
		in.read("never", &n.Never, "must be true or false")
		n.Copies = 1
		in.read("times", &n.Copies, fmt.Sprintf("must be a whole number from 1 to %d", maxCopies))
		in.faultIf(n.Copies < 1 || n.Copies > maxCopies, "times", fmt.Sprintf("must be a whole number from 1 to %d", maxCopies))
		var ms int64
		in.read("after", &ms, "must be a whole number of milliseconds")
		in.faultIf(ms < 0 || ms > maxNotifyDelay.Milliseconds(), "after", fmt.Sprintf("must be from 0 to %d milliseconds", maxNotifyDelay.Milliseconds()))
		n.After = time.Duration(ms) * time.Millisecond
		n.Spoil = in.spoil()
		in.faultIf(n.Never && len(in.values) > 1, "never", "stands alone")
	})
	return n
}

// spoil reads which checksums are wrong.
func (m *members) spoil() books.Spoil {
	var s string
	m.read("checksum", &s, `must be "wrong" or "wrong-once"`)
	switch {
	case s == "wrong":
		return books.SpoilAlways
	case s == "wrong-once":
		return books.SpoilOnce
	case s != "" || m.has("checksum") && m.values["checksum"].Kind() == '"':
		m.fault("checksum", `must be "wrong" or "wrong-once"`)
	}
	return books.SpoilNone
}
