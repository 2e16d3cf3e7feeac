package simbank

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/secret"
)

//go:embed pages
var pages embed.FS

// maxControl bounds the body of POST /control and of those below it.
const maxControl = 4 << 10

// publicPages is the handler of the public address.
type publicPages struct {
	bank  *Bank
	pages *template.Template
	css   []byte
	js    []byte // of the phone
}

// PublicHandler serves books, inbox and control: the interfaces of sandbox.md for
// tests and people. Errors are JSON: {"error", "errors": [{field, message}]}.
func (b *Bank) PublicHandler() http.Handler {
	css, _ := pages.ReadFile("pages/bank.css") // embedded: it exists, as the next
	js, _ := pages.ReadFile("pages/phone.js")
	d := &publicPages{bank: b, css: css, js: js, pages: template.Must(template.New("").Funcs(template.FuncMap{
		"date": func(t time.Time) string { return t.In(ist.Zone()).Format("02-01-2006 15:04:05") },
	}).ParseFS(pages, "pages/*.html"))}

	mux := http.NewServeMux()
	mux.Handle("/{$}", onlyGet(d.home))
	mux.Handle("/bank.css", onlyGet(d.style))
	mux.Handle("/books", onlyGet(d.books))
	mux.Handle("/books/executions", onlyGet(d.executions))
	mux.Handle("/books/balance/{aadhaar}", onlyGet(d.balance))
	mux.Handle("/books/trial", onlyGet(d.trial))
	mux.Handle("/books/settlement", onlyGet(d.settlement))
	mux.Handle("/inbox/{mobile}", onlyGet(d.inbox))
	mux.Handle("/books/payments", onlyGet(d.payments))
	mux.HandleFunc("/control", d.control)
	mux.Handle("/control/upi/pay", d.onlyPost(d.controlPay))
	mux.Handle("/control/upi/refund", d.onlyPost(d.controlRefund))
	mux.HandleFunc("/phone", d.phone)
	mux.Handle("/phone/paid/{id}", onlyGet(d.phonePaid))
	mux.Handle("/phone.js", onlyGet(d.phoneScript))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		replyError(w, http.StatusNotFound, "no such path; / lists what there is")
	})
	return b.tracked(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(w, r)
	}))
}

// onlyGet lets GET and HEAD through.
func onlyGet(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			replyError(w, http.StatusMethodNotAllowed, "this path is read with GET")
			return
		}
		h(w, r)
	})
}

func (d *publicPages) home(w http.ResponseWriter, _ *http.Request) {
	d.page(w, "home", struct {
		Control   Control
		Customers []books.Customer
	}{d.bank.Control(), d.bank.Customers()})
}

func (d *publicPages) style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = w.Write(d.css) // a reader who is gone needs none
}

func (d *publicPages) books(w http.ResponseWriter, r *http.Request) {
	f, faults := filter(r.URL, network.ValidReference)
	if faults != nil {
		replyError(w, http.StatusBadRequest, "the query is wrong", faults...)
		return
	}
	found, err := d.bank.Entries(r.Context(), f)
	if err != nil {
		d.serverError(w, r, err)
		return
	}
	if wantsPage(r) {
		d.page(w, "books", struct {
			Reference string
			Entries   []books.Entry
		}{f.Reference, found})
		return
	}
	out := make([]entryJSON, 0, len(found))
	for _, e := range found {
		out = append(out, entryOf(e))
	}
	replyJSON(w, http.StatusOK, out)
}

// executionJSON is an execution as tests read it (sandbox.md).
type executionJSON struct {
	Reference   string                `json:"reference"`
	Kind        network.Kind          `json:"kind"`
	AmountPaise money.Paise           `json:"amountPaise"`
	Status      books.ExecutionStatus `json:"status"`
	At          string                `json:"at"`
}

func (d *publicPages) executions(w http.ResponseWriter, r *http.Request) {
	f, faults := filter(r.URL, network.ValidReference)
	if faults != nil {
		replyError(w, http.StatusBadRequest, "the query is wrong", faults...)
		return
	}
	found, err := d.bank.Executions(r.Context(), f)
	if errors.Is(err, books.ErrTooMany) {
		replyError(w, http.StatusBadRequest, err.Error())
		return
	}
	if err != nil {
		d.serverError(w, r, err)
		return
	}
	out := make([]executionJSON, 0, len(found))
	for _, e := range found {
		out = append(out, executionJSON{e.Reference, e.Kind, e.Amount, e.Status, stamp(e.At)})
	}
	replyJSON(w, http.StatusOK, out)
}

func (d *publicPages) balance(w http.ResponseWriter, r *http.Request) {
	a, err := secret.ParseAadhaar(r.PathValue("aadhaar"))
	if err != nil {
		replyError(w, http.StatusBadRequest, "the path is wrong", fault{"aadhaar", err.Error()})
		return
	}
	balance, err := d.bank.Balance(r.Context(), a)
	switch {
	case errors.Is(err, books.ErrUnknownCustomer):
		replyError(w, http.StatusNotFound, err.Error())
	case err != nil:
		d.serverError(w, r, err)
	default:
		replyJSON(w, http.StatusOK, struct {
			Balance string `json:"balance"`
		}{balance.String()})
	}
}

func (d *publicPages) trial(w http.ResponseWriter, r *http.Request) {
	t, err := d.bank.Trial(r.Context())
	if err != nil {
		d.serverError(w, r, err)
		return
	}
	replyJSON(w, http.StatusOK, struct {
		Debits  money.Paise `json:"debitsPaise"`
		Credits money.Paise `json:"creditsPaise"`
	}{t.Debits, t.Credits})
}

// messageJSON is a text in an inbox; otp is empty if it has none.
type messageJSON struct {
	At   string `json:"at"`
	Text string `json:"text"`
	OTP  string `json:"otp"`
}

func (d *publicPages) inbox(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); slices.Contains(d.bank.cfg.Origins, origin) {
		w.Header().Set("Access-Control-Allow-Origin", origin)
	}
	mobile := r.PathValue("mobile")
	if len(mobile) != 10 || strings.Trim(mobile, "0123456789") != "" {
		replyError(w, http.StatusBadRequest, "the path is wrong", fault{"mobile", "must be ten digits"})
		return
	}
	found, err := d.bank.Inbox(r.Context(), mobile)
	if err != nil {
		d.serverError(w, r, err)
		return
	}
	if wantsPage(r) {
		d.page(w, "inbox", struct {
			Mobile   string
			Messages []Message
		}{mobile, found})
		return
	}
	out := make([]messageJSON, 0, len(found))
	for _, m := range found {
		out = append(out, messageJSON{stamp(m.At), m.Text, m.OTP})
	}
	replyJSON(w, http.StatusOK, out)
}

// controlJSON is the control as it is read and answered.
type controlJSON struct {
	Down      bool  `json:"down"`
	LatencyMs int64 `json:"latencyMs"`
}

func (d *publicPages) control(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
		if !d.changeControl(w, r) {
			return
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		replyError(w, http.StatusMethodNotAllowed, "the control is read with GET and changed with POST")
		return
	}
	c := d.bank.Control()
	replyJSON(w, http.StatusOK, controlJSON{c.Down, c.Latency.Milliseconds()})
}

// changeControl applies the change that a request asks for; it reports false where
// it has answered.
func (d *publicPages) changeControl(w http.ResponseWriter, r *http.Request) bool {
	body, ok := readControl(w, r)
	if !ok {
		return false
	}
	change, faults := parseChange(body)
	if faults != nil {
		replyError(w, http.StatusBadRequest, "the body is wrong", faults...)
		return false
	}
	if err := d.bank.ChangeControl(r.Context(), change); err != nil {
		d.bank.log.Error("control can't be changed", "error", err)
		replyError(w, http.StatusServiceUnavailable, err.Error())
		return false
	}
	return true
}

// isForeign tells whether a page of another site sends a request, which it must not.
func isForeign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host
}

// readControl reads the body of a request that changes something; it reports false where
// it has answered.
func readControl(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if isForeign(r) {
		replyError(w, http.StatusForbidden, "a page of another site may not change the control")
		return nil, false
	}
	body, err := network.ReadBody(r.Body, maxControl)
	if errors.Is(err, network.ErrTooLarge) {
		replyError(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes", maxControl))
		return nil, false
	}
	return body, err == nil
}

// parseChange reads {"down": bool, "latencyMs": n}, each of them optional.
func parseChange(body []byte) (Change, []fault) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return Change{}, []fault{{"body", `must be a JSON object such as {"down": true, "latencyMs": 500}, each member once`}}
	}
	var c Change
	var faults []fault
	for name, value := range members {
		var ms int64
		var down bool
		switch {
		case name == "down" && value.Kind() != 'n' && json.Unmarshal(value, &down) == nil:
			c.Down = &down
		case name == "down":
			faults = append(faults, fault{name, "must be true or false"})
		case name == "latencyMs" && value.Kind() != 'n' && json.Unmarshal(value, &ms) == nil && ms >= 0 && ms <= maxLatency.Milliseconds():
			latency := time.Duration(ms) * time.Millisecond
			c.Latency = &latency
		case name == "latencyMs":
			faults = append(faults, fault{name, fmt.Sprintf("must be a whole number of milliseconds from 0 to %d", maxLatency.Milliseconds())})
		default:
			faults = append(faults, fault{name, "is not known here; there are down and latencyMs"})
		}
	}
	return c, faults
}

// filter reads reference, from and to of a query, and names every fault.
func filter(u *url.URL, isReference func(string) bool) (books.Filter, []fault) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return books.Filter{}, []fault{{"query", "is not properly escaped"}}
	}
	var f books.Filter
	var faults []fault
	for name, values := range query {
		if len(values) > 1 {
			faults = append(faults, fault{name, "is given more than once"})
			continue
		}
		value := values[0]
		switch name {
		case "reference":
			if f.Reference = value; value != "" && !isReference(value) {
				faults = append(faults, fault{name, "has characters that no reference has, or too many"})
			}
		case "from", "to":
			at, err := parseTime(value)
			if err != nil {
				faults = append(faults, fault{name, "must be a time as in RFC 3339, such as 2026-11-21T09:30:00+05:30"})
			}
			if name == "from" {
				f.From = at
			} else {
				f.To = endOf(at, value)
			}
		default:
			faults = append(faults, fault{name, "is not known here; there are reference, from and to"})
		}
	}
	return f, faults
}

// parseTime reads RFC 3339, also where the plus of its zone came unescaped and
// so became a space.
func parseTime(s string) (time.Time, error) {
	return time.Parse(time.RFC3339, strings.Replace(s, " ", "+", 1))
}

// endOf is the last moment that a written end covers: all of its second where
// no fraction is written, since the books have milliseconds.
func endOf(at time.Time, written string) time.Time {
	if at.IsZero() || strings.Contains(written, ".") {
		return at
	}
	return at.Add(time.Second - time.Millisecond)
}
