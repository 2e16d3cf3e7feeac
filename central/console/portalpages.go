package console

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"galla/central"
	"galla/central/accounts"
	"galla/central/keys"
	"galla/central/selfservice"
	"galla/central/webhook"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// homePage is the data of the first page: today in India.
type homePage struct {
	Name      string
	Counts    []selfservice.Count
	All       int
	Volume    money.Paise // of what succeeded
	Pending   int
	GivenUp   int // callbacks that were given up within a week
	MoreGiven bool
}

// maxGivenUp is how many callbacks that were given up the first page counts.
const maxGivenUp = 100

func (p *Portal) home(v *visit) error {
	vendor, err := p.Vendors.Vendor(v.Context(), v.Vendor)
	if err != nil {
		return err
	}
	d := homePage{Name: vendor.LegalName}
	from, to, err := ist.DayOf(time.Now()).Bounds()
	if err == nil {
		d.Counts, err = p.Own.Count(v.Context(), v.Vendor, from, to)
	}
	if err != nil {
		return err
	}
	for _, n := range d.Counts {
		d.All += n.Count
		switch n.State {
		case op.Succeeded:
			d.Volume = n.Sum
		case op.Pending, op.Sent, op.Received:
			d.Pending += n.Count
		}
	}
	lost, err := p.Own.Callbacks(v.Context(), v.Vendor, webhook.Filter{State: webhook.StateGivenUp, Since: time.Now().Add(-lookBack), Limit: maxGivenUp + 1})
	if err != nil {
		return err
	}
	d.GivenUp, d.MoreGiven = min(len(lost), maxGivenUp), len(lost) > maxGivenUp
	return v.show(http.StatusOK, page{Name: "home", Title: "Today at " + vendor.LegalName, Data: d})
}

// ownOperationsPage is the list's data, with what was chosen.
type ownOperationsPage struct {
	selfservice.OperationQuery
	FromDay, ToDay string
	Kinds          []central.Kind
	States         []op.State
	Found          []central.Operation
	Older, CSV     string // addresses
}

// ownQuery reads what is chosen from a query; the days are a week where they are not.
func ownQuery(f url.Values) (ownOperationsPage, error) {
	today := ist.DayOf(time.Now())
	d := ownOperationsPage{
		FromDay: f.Get("from"), ToDay: f.Get("to"), Kinds: selfservice.TransactionKinds(),
		States: []op.State{op.Pending, op.Succeeded, op.Failed, op.Reversed, op.Refused},
		OperationQuery: selfservice.OperationQuery{
			Merchant: central.MerchantID(strings.TrimSpace(f.Get("merchant"))), Kind: central.Kind(f.Get("type")), State: op.State(f.Get("state")),
			After: op.ID(f.Get("after")), Limit: pageSize + 1,
		},
	}
	if d.FromDay == "" {
		d.FromDay = string(today.Add(-6))
	}
	if d.ToDay == "" {
		d.ToDay = string(today)
	}
	from, errFrom := ist.ParseDay(d.FromDay)
	to, errTo := ist.ParseDay(d.ToDay)
	if errFrom != nil || errTo != nil || to < from || from.Add(maxOwnDays) <= to {
		return d, refuse("Choose From and To, at most %d days apart.", maxOwnDays)
	}
	var err error
	if d.From, _, err = from.Bounds(); err == nil {
		_, d.To, err = to.Bounds()
	}
	return d, err
}

// maxOwnDays bounds the days of one list.
const maxOwnDays = 366

// address is the list's address with what is chosen.
func (d ownOperationsPage) address(path string, after op.ID) string {
	q := url.Values{"from": {d.FromDay}, "to": {d.ToDay}}
	for name, value := range map[string]string{"merchant": string(d.Merchant), "type": string(d.Kind), "state": string(d.State), "after": string(after)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return PortalRoot + path + "?" + q.Encode()
}

func (p *Portal) operations(v *visit) error {
	d, err := ownQuery(v.query())
	if err == nil {
		d.Found, err = p.Own.Operations(v.Context(), v.Vendor, d.OperationQuery)
	}
	if err != nil {
		return v.refuse(afterError(err), func(status int, text string) error {
			return v.show(status, page{Name: "own-operations", Title: "Operations", Alert: text, Data: d})
		})
	}
	if len(d.Found) > pageSize {
		d.Found = d.Found[:pageSize]
		d.Older = d.address("operations", d.Found[pageSize-1].ID)
	}
	d.CSV = d.address("operations.csv", "")
	return v.show(http.StatusOK, page{Name: "own-operations", Title: "Operations", Data: d})
}

// afterError is an unknown last record as one that does not exist.
func afterError(err error) error {
	if errors.Is(err, selfservice.ErrAfter) {
		return central.ErrNotFound
	}
	return err
}

// streamer is an answer that is written while it is sent.
type streamer interface{ SendStream(*central.Stream) }

func (p *Portal) operationsCSV(v *visit) error {
	d, err := ownQuery(v.query())
	vendor := v.Vendor
	d.Limit, d.After = selfservice.CSVPage, ""
	next := func(ctx context.Context, q selfservice.OperationQuery) ([]central.Operation, error) {
		return p.Own.Operations(ctx, vendor, q)
	}
	var first []central.Operation
	if err == nil {
		first, err = next(v.Context(), d.OperationQuery)
	}
	if err != nil {
		return err
	}
	write := func(ctx context.Context, w io.Writer) error {
		return selfservice.WriteCSV(ctx, w, first, d.OperationQuery, next)
	}
	if to, ok := v.w.(streamer); ok {
		to.SendStream(&central.Stream{ContentType: "text/csv; charset=utf-8", Name: "operations.csv", Write: write})
		return nil
	}
	v.csv("operations.csv")
	return write(v.Context(), v.w)
}

// ownOperationPage is one operation.
type ownOperationPage struct {
	central.Operation
	Tone, Description string
}

func (p *Portal) operation(v *visit) error {
	o, err := p.Own.Operation(v.Context(), v.Vendor, op.ID(v.path("operation")))
	if err != nil {
		return err
	}
	tone, text := describeState(o)
	return v.show(http.StatusOK, page{Name: "own-operation", Title: "Operation " + string(o.Reference), Back: PortalRoot + "operations", Data: ownOperationPage{o, tone, text}})
}

// ownMerchantsPage is the list of the vendor's merchants.
type ownMerchantsPage struct {
	Merchants   []central.Merchant
	Text, Older string
}

func (p *Portal) merchants(v *visit) error {
	q := v.query()
	d := ownMerchantsPage{Text: strings.TrimSpace(q.Get("text"))}
	var err error
	d.Merchants, err = p.Vendors.MerchantsBy(v.Context(), accounts.Filter{Vendor: v.Vendor, Text: d.Text, AfterName: q.Get("name"), AfterID: q.Get("after"), Limit: pageSize + 1})
	if err != nil {
		return err
	}
	if len(d.Merchants) > pageSize {
		d.Merchants = d.Merchants[:pageSize]
		last := d.Merchants[pageSize-1]
		d.Older = PortalRoot + "merchants?" + url.Values{"text": {d.Text}, "name": {last.LegalName}, "after": {string(last.ID)}}.Encode()
	}
	return v.show(http.StatusOK, page{Name: "own-merchants", Title: "Merchants", Data: d})
}

const notShownAgain = "It is not shown again. Put it where only your programs read it."

// ownKeysPage are the vendor's keys of the gateway.
type ownKeysPage struct {
	Keys      []keys.VendorKey
	Live, Max int
	Now       time.Time
}

func (p *Portal) keys(v *visit) error { return p.showKeys(v, http.StatusOK, "") }

func (p *Portal) showKeys(v *visit, status int, alert string) error {
	d := ownKeysPage{Max: central.MaxLiveKeys, Now: time.Now()}
	var err error
	if d.Keys, err = p.Own.Keys(v.Context(), v.Vendor); err != nil {
		return err
	}
	for _, k := range d.Keys {
		if k.Live(d.Now) {
			d.Live++
		}
	}
	return v.show(status, page{Name: "own-keys", Title: "API keys", Alert: alert, Data: d})
}

func (p *Portal) addKey(v *visit) error {
	made, err := p.Own.AddKey(v.Context(), v.Actor(), v.Vendor)
	if errors.Is(err, central.ErrState) {
		err = &refusal{http.StatusConflict, "The vendor has the largest number of live keys: end one first."}
	}
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return p.showKeys(v, status, text) })
	}
	return v.show(http.StatusOK, page{Name: "one-time", Title: "New API key", Back: PortalRoot + "keys", Data: oneTimePage{
		Lead:  "Programs at the gateway seal their messages with these. The other key stays valid until you end it.",
		Lines: []labelValue{{"X-Client-Id", made.APIKey.Reveal()}, {"AES key, base64", base64.StdEncoding.EncodeToString(made.Key.Reveal())}, {"Key's id", string(made.ID)}},
		Note:  notShownAgain,
	}})
}

// endTime reads when something ends: in so many days; zero: now.
func endTime(v *visit) (time.Time, error) {
	days, err := strconv.Atoi(v.field("days"))
	if err != nil || days < 0 || days > 90 {
		return time.Time{}, refuse("Choose when it ends, at most 90 days ahead.")
	}
	if days == 0 {
		return time.Time{}, nil
	}
	return time.Now().AddDate(0, 0, days), nil
}

func (p *Portal) endKey(v *visit) error {
	ends, err := endTime(v)
	if err == nil {
		err = p.Own.EndKey(v.Context(), v.Actor(), v.Vendor, central.KeyID(v.path("key")), ends)
	}
	return v.after(err, func(status int, text string) error { return p.showKeys(v, status, text) }, PortalRoot+"keys", endNotice(ends))
}

func endNotice(ends time.Time) string {
	if ends.IsZero() {
		return "ended"
	}
	return "end-planned"
}

// ownClientsPage are the vendor's programs.
type ownClientsPage struct {
	Clients []accounts.Client
	Max     int
}

func (p *Portal) clients(v *visit) error { return p.showClients(v, http.StatusOK, "") }

func (p *Portal) showClients(v *visit, status int, alert string) error {
	list, err := p.Own.Clients(v.Context(), v.Vendor)
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "own-clients", Title: "Client secrets", Alert: alert, Data: ownClientsPage{list, accounts.MaxLiveSecrets}})
}

func (p *Portal) addSecret(v *visit) error {
	made, err := p.Own.AddSecret(v.Context(), v.Actor(), v.Vendor, v.path("client"), time.Time{})
	if errors.Is(err, central.ErrState) {
		err = &refusal{http.StatusConflict, "The program has the largest number of live secrets: end one first."}
	}
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return p.showClients(v, status, text) })
	}
	return v.show(http.StatusOK, page{Name: "one-time", Title: "New client secret", Back: PortalRoot + "clients", Data: oneTimePage{
		Lead:  "The program gets tokens with it. The secret before stays valid until you end it.",
		Lines: []labelValue{{"client_id", made.ID}, {"client_secret", made.Secret.Reveal()}},
		Note:  notShownAgain,
	}})
}

func (p *Portal) endSecret(v *visit) error {
	ends, err := endTime(v)
	no, wrong := strconv.ParseInt(v.path("secret"), 10, 64)
	if wrong != nil {
		return central.ErrNotFound
	}
	if err == nil {
		err = p.Own.EndSecret(v.Context(), v.Actor(), v.Vendor, v.path("client"), no, ends)
	}
	if errors.Is(err, central.ErrState) {
		err = &refusal{http.StatusConflict, "It is the program's only secret, or its newest one, which has no later end: make another first."}
	}
	return v.after(err, func(status int, text string) error { return p.showClients(v, status, text) }, PortalRoot+"clients", endNotice(ends))
}
