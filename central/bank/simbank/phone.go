package simbank

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"galla/central/bank/simbank/books"
	"galla/central/bank/simbank/upi"
	"galla/shared/money"
)

// phonePolicy is the policy of the phone's page: that of the others, and its script, which
// looks for a code with the camera.
const phonePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// maxPhoneForm bounds the form: a link and a name, escaped.
const maxPhoneForm = 16 << 10

// phonePage is the page of a payer's phone.
type phonePage struct {
	UPILink string
	Wrong   string    // with the link; empty: nothing
	Link    *upi.Link // nil: no link was read so far

	ID          string // of the payment, so that a second press pays nothing
	Payer       string
	Amount      string // as it was typed
	WrongPayer  string
	WrongAmount string
}

// phone serves GET /phone, with ?upiLink= where a link was read, and POST /phone, which
// pays it.
func (d *publicPages) phone(w http.ResponseWriter, r *http.Request) {
	phoneHeaders(w.Header())
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		d.readLink(w, r)
	case http.MethodPost:
		d.payLink(w, r)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		replyError(w, http.StatusMethodNotAllowed, "a link is read with GET and paid with POST")
	}
}

func phoneHeaders(h http.Header) {
	h.Set("Content-Security-Policy", phonePolicy)
	h.Set("Permissions-Policy", "camera=(self), microphone=(), geolocation=(), payment=(), usb=(), serial=()")
	h.Set("Referrer-Policy", "same-origin") // without a referrer a form's Origin is null
}

func (d *publicPages) phoneScript(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(d.js) // a reader who is gone needs none
}

func (d *publicPages) readLink(w http.ResponseWriter, r *http.Request) {
	p := phonePage{UPILink: strings.TrimSpace(r.URL.Query().Get("upiLink")), Payer: defaultPayerName}
	if r.URL.RawQuery == "" {
		d.page(w, "phone", p)
		return
	}
	if !p.read() {
		d.pageStatus(w, http.StatusBadRequest, "phone", p)
		return
	}
	var err error
	if p.ID, err = d.bank.NewPaymentID(); err != nil {
		d.serverError(w, r, err)
		return
	}
	d.page(w, "phone", p)
}

// read reads the link; it reports false where it can't be paid.
func (p *phonePage) read() bool {
	l, err := upi.ParseLink(p.UPILink)
	if err != nil {
		p.Wrong = "This can't be paid: the text " + err.Error() + "."
		return false
	}
	p.Link = &l
	return true
}

// phonePaymentID is an id that readLink gave.
var phonePaymentID = regexp.MustCompile(`^GSB[0-9A-F]{32}$`)

func (d *publicPages) payLink(w http.ResponseWriter, r *http.Request) {
	if isForeign(r) {
		replyError(w, http.StatusForbidden, "a page of another site may not pay")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxPhoneForm)
	if err := r.ParseForm(); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			replyError(w, http.StatusRequestEntityTooLarge, "the form is too large")
			return
		}
		replyError(w, http.StatusBadRequest, "the form can't be read")
		return
	}
	p := phonePage{
		UPILink: r.PostForm.Get("upiLink"), ID: r.PostForm.Get("id"),
		Payer: strings.TrimSpace(r.PostForm.Get("payer")), Amount: strings.TrimSpace(r.PostForm.Get("amount")),
	}
	amount, ok := p.check()
	if !ok {
		d.pageStatus(w, http.StatusBadRequest, "phone", p)
		return
	}
	paid, err := d.bank.PayUPI(r.Context(), UPIPayment{
		ID: p.ID, Payee: p.Link.Payee, TR: p.Link.TR, Amount: amount, PayerName: p.Payer, PayerVPA: vpaOf(p.Payer),
	}, Notice{})
	if err != nil {
		d.serverError(w, r, err)
		return
	}
	http.Redirect(w, r, "/phone/paid/"+url.PathEscape(paid.ID), http.StatusSeeOther)
}

// check reads the form; ok is false where something is wrong, which the page then says.
func (p *phonePage) check() (amount money.Paise, ok bool) {
	if !p.read() {
		return 0, false
	}
	if !phonePaymentID.MatchString(p.ID) {
		p.Link, p.Wrong = nil, "This page is too old. Read the code again."
		return 0, false
	}
	if !validPayerName(p.Payer) {
		p.WrongPayer = "A readable name of at most 60 characters."
	}
	if amount = p.Link.Amount; amount == 0 {
		var err error
		if amount, err = money.Parse(p.Amount); err != nil || amount <= 0 {
			p.WrongAmount = "Rupees above zero, such as 12.50."
		}
	}
	return amount, p.WrongPayer == "" && p.WrongAmount == ""
}

// vpaOf is the VPA of a payer at the sandbox's other bank.
func vpaOf(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return defaultPayerVPA
	}
	return strings.Join(words, ".") + "@okbank"
}

// phonePaid serves GET /phone/paid/:id, which says what was paid.
func (d *publicPages) phonePaid(w http.ResponseWriter, r *http.Request) {
	phoneHeaders(w.Header())
	id := r.PathValue("id")
	found, err := d.bank.NewestPayments(r.Context(), books.Filter{Reference: id})
	if err != nil {
		d.serverError(w, r, err)
		return
	}
	if len(found) != 1 || found[0].ID != id {
		replyError(w, http.StatusNotFound, books.ErrUnknownPayment.Error())
		return
	}
	d.page(w, "paid", found[0])
}
