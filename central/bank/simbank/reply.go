package simbank

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/money"
)

// fault says what is wrong with one field of a request.
type fault struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// replyJSON writes JSON.
func replyJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A reader who is gone needs no answer.
	_ = json.MarshalWrite(w, v)
}

// replyError writes an error, with every field that is at fault.
func replyError(w http.ResponseWriter, status int, why string, faults ...fault) {
	slices.SortFunc(faults, func(a, b fault) int { return cmp.Compare(a.Field, b.Field) })
	replyJSON(w, status, struct {
		Error  string  `json:"error"`
		Errors []fault `json:"errors,omitempty"`
	}{why, faults})
}

// serverError answers where the books can't be read.
func (d *publicPages) serverError(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody is there any more
	}
	d.bank.log.Error("the books can't be read", "error", err)
	replyError(w, http.StatusInternalServerError, "the books can't be read; the bank's log says why")
}

// wantsPage tells whether a person's browser asks, and not a program.
func wantsPage(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, "text/html") && !strings.Contains(accept, "application/json")
}

// page writes a page, complete or not at all.
func (d *publicPages) page(w http.ResponseWriter, name string, data any) {
	d.pageStatus(w, http.StatusOK, name, data)
}

// pageStatus writes a page with a status.
func (d *publicPages) pageStatus(w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := d.pages.ExecuteTemplate(&b, name, data); err != nil {
		d.bank.log.Error("page can't be made", "page", name, "error", err)
		replyError(w, http.StatusInternalServerError, "the page can't be made; the bank's log says why")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a reader who is gone needs none
}

// stamp writes a time in UTC with milliseconds, RFC 3339; no time is empty.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// entryJSON is an Entry for programs.
type entryJSON struct {
	Reference   string        `json:"reference"`
	Kind        network.Kind  `json:"kind"`
	State       string        `json:"state"`
	Code        string        `json:"code"`
	Message     string        `json:"message"`
	AmountPaise money.Paise   `json:"amountPaise"`
	STAN        string        `json:"stan"`
	RRN         string        `json:"rrn"`
	AuthCode    string        `json:"authCode,omitzero"`
	MID         string        `json:"mid"`
	TID         string        `json:"tid"`
	IIN         string        `json:"iin"`
	Customer    string        `json:"customer,omitzero"`
	At          string        `json:"at"`
	DueAt       string        `json:"dueAt,omitzero"`
	SettledAt   string        `json:"settledAt,omitzero"`
	Postings    []postingJSON `json:"postings"`
}

type postingJSON struct {
	Account     string      `json:"account"`
	Side        string      `json:"side"`
	AmountPaise money.Paise `json:"amountPaise"`
	Purpose     string      `json:"purpose"`
	At          string      `json:"at"`
}

func entryOf(e books.Entry) entryJSON {
	out := entryJSON{
		Reference: e.Reference, Kind: e.Kind, State: e.State, Code: e.Code, Message: e.Message, AmountPaise: e.Amount,
		STAN: e.STAN, RRN: e.RRN, AuthCode: e.AuthCode, MID: e.MID, TID: e.TID, IIN: e.IIN, Customer: e.Customer,
		At: stamp(e.Arrived), DueAt: stamp(e.Due), SettledAt: stamp(e.Settled), Postings: []postingJSON{},
	}
	for _, p := range e.Postings {
		out.Postings = append(out.Postings, postingJSON{p.Account, p.Side, p.Amount, p.Purpose, stamp(p.At)})
	}
	return out
}
