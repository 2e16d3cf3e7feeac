package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"galla/central"

	"galla/central/accounts"
	"galla/central/staff"
	"galla/shared/op"
)

// clientRoutes are the routes for credentials of parties' programs, which get tokens
// with them for the direct entrance.
func (e *PartyPages) clientRoutes() (all []route) {
	for _, party := range []string{"merchants/{merchant}", "vendors/{vendor}", "aggregators/{aggregator}"} {
		all = append(all,
			getRoute(party+"/clients/{client}", staff.Viewer, of(e.partyOf, e.client)),
			postRoute(party+"/clients", staff.Admin, of(e.partyOf, e.addClient)),
			postRoute(party+"/clients/{client}/secret", staff.Admin, of(e.partyOf, e.renewClient)),
			postRoute(party+"/clients/{client}/secrets", staff.Admin, of(e.partyOf, e.rotateClient)),
			postRoute(party+"/clients/{client}/secrets/{secret}/end", staff.Admin, of(e.partyOf, e.endClientSecret)),
			postRoute(party+"/clients/{client}/active", staff.Admin, of(e.partyOf, e.setClientActive)))
	}
	return all
}

// programs are a party's clients as its page shows them.
type programs struct {
	List []accounts.Client
	Live int
	Max  int
	At   string // the party's page
}

// programsOf reads a party's clients.
func (e *PartyPages) programsOf(ctx context.Context, p central.Principal, at string) (programs, error) {
	list, err := e.Accounts.ClientsOf(ctx, p, time.Now())
	out := programs{List: list, Max: accounts.MaxLiveClients, At: at}
	for _, x := range list {
		if x.Active {
			out.Live++
		}
	}
	return out, err
}

// partyPath is the address of a party's page.
func partyPath(p central.Principal) string {
	switch p.Role {
	case op.Merchant:
		return Root + "merchants/" + string(p.Merchant)
	case op.Vendor:
		return Root + "vendors/" + string(p.Vendor)
	}
	return Root + "aggregators/" + string(p.Aggregator)
}

// clientPage is one client's data.
type clientPage struct {
	accounts.Client
	At, Party, PartyName string // its page, its party's page, and the party's name
	MaxSecrets           int
	Terminals            terminalsTable
}

// client shows a program with the terminals that its codes enrolled.
func (e *PartyPages) client(v *visit, p party) error { return e.showClient(v, p, http.StatusOK, "") }

func (e *PartyPages) showClient(v *visit, p party, status int, alert string) error {
	list, err := e.Accounts.ClientsOf(v.Context(), p.Principal, time.Now())
	d := clientPage{At: p.here + "/clients/" + v.path("client"), Party: p.here, PartyName: p.name, MaxSecrets: accounts.MaxLiveSecrets}
	for _, x := range list {
		if x.ID == v.path("client") {
			d.Client = x
		}
	}
	if err == nil && d.ID == "" {
		err = central.ErrNotFound
	}
	if err == nil {
		d.Terminals, err = e.terminalsOf(v, accounts.TerminalFilter{Client: d.ID}, partyList{path: d.At})
	}
	if err != nil {
		return err
	}
	return v.show(status, page{Name: "client", Title: d.ID, Back: p.here, Alert: alert, Data: d})
}

// party is whose client a request is about.
type party struct {
	central.Principal
	name string
	here string // its page
	show func(v *visit, status int, alert string) error
}

// partyOf reads the party that the address names.
func (e *PartyPages) partyOf(v *visit) (party, error) {
	switch {
	case v.path("merchant") != "":
		m, err := e.Accounts.Merchant(v.Context(), central.MerchantID(v.path("merchant")))
		return party{central.Principal{Role: op.Merchant, Merchant: m.ID}, m.LegalName, Root + "merchants/" + string(m.ID),
			func(v *visit, status int, alert string) error { return e.showMerchant(v, m.ID, status, alert) }}, err
	case v.path("vendor") != "":
		x, err := e.Accounts.Vendor(v.Context(), central.VendorID(v.path("vendor")))
		return party{central.Principal{Role: op.Vendor, Vendor: x.ID}, x.LegalName, Root + "vendors/" + string(x.ID),
			func(v *visit, status int, alert string) error { return e.showVendor(v, x.ID, status, alert) }}, err
	}
	a, err := e.findAggregator(v)
	return party{central.Principal{Role: op.Aggregator, Aggregator: a.ID}, a.LegalName, Root + "aggregators/" + string(a.ID),
		func(v *visit, status int, alert string) error { return e.showAggregator(v, a, status, alert, nil) }}, err
}

// refuse shows the error of a step on a party's client on the party's page.
func (p party) refuse(v *visit, err error) error {
	if errors.Is(err, accounts.ErrManyClients) {
		err = &refusal{status: http.StatusConflict, text: "The party has the largest number of live programs: suspend one first."}
	}
	return v.refuse(err, func(status int, text string) error { return p.show(v, status, text) })
}

// showClientSecret shows a client's secret, once.
func showClientSecret(v *visit, p party, made accounts.Credential, lead string) error {
	here := p.here + "/clients/" + made.ID
	return v.show(http.StatusOK, page{Name: "one-time", Title: "Program of " + p.name, Back: p.here, Data: oneTimePage{
		Lead:  lead,
		Lines: []labelValue{{"client_id", made.ID}, {"client_secret", made.Secret.Reveal()}},
		Note:  "The secret is not shown again: the central stores a hash of it. Send it over a channel that only they read. The program gets tokens with it at POST /oauth/token.",
		More:  link{here, "The page of " + made.ID + ", with the terminals that its codes enrolled"},
	}})
}

func (e *PartyPages) addClient(v *visit, p party) error {
	made, err := e.Clients.NewClient(v.Context(), v.Actor(), p.Principal)
	if err != nil {
		return p.refuse(v, err)
	}
	return showClientSecret(v, p, made, "Another program of "+p.name+" may call the direct entrance from now on, with what its role allows.")
}

func (e *PartyPages) renewClient(v *visit, p party) error {
	id := v.path("client")
	if !v.confirmed() {
		return askToConfirm(v, confirmPage{Question: "Give " + id + " another secret?", Button: "Create another", Action: p.here + "/clients/" + id + "/secret", Back: p.here,
			Text: "Its current secret gets no tokens from now on. Its tokens are invalid within a second, and its open enrolment codes are void at once. For a change without interruption, open the program's page, add a second secret there, change over, and end the first."})
	}
	made, err := e.Clients.RenewClient(v.Context(), v.Actor(), p.Principal, id)
	if err != nil {
		return p.refuse(v, err)
	}
	return showClientSecret(v, p, made, fmt.Sprintf("The program of %s needs this secret now: the one before gets no tokens any more, and its tokens are invalid. %s", p.name, voidedCodesText(made.Voided)))
}

// rotateClient gives a program another secret beside its present one.
func (e *PartyPages) rotateClient(v *visit, p party) error {
	made, err := e.Clients.RotateClient(v.Context(), v.Actor(), p.Principal, v.path("client"), time.Time{})
	if errors.Is(err, central.ErrState) {
		err = &refusal{http.StatusConflict, "The program has the largest number of live secrets: end one first."}
	}
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return e.showClient(v, p, status, text) })
	}
	return showClientSecret(v, p, made, fmt.Sprintf("Secret %d of a program of %s. The one before stays valid: end it when the program uses this one.", made.No, p.name))
}

// endClientSecret ends one of a program's two secrets.
func (e *PartyPages) endClientSecret(v *visit, p party) error {
	no, wrong := strconv.ParseInt(v.path("secret"), 10, 64)
	if wrong != nil {
		return central.ErrNotFound
	}
	ends, err := endTime(v)
	if err == nil {
		err = e.Clients.EndClientSecret(v.Context(), v.Actor(), p.Principal, v.path("client"), no, ends)
	}
	if errors.Is(err, central.ErrState) {
		err = &refusal{http.StatusConflict, "It is the program's only secret, or its newest one, which has no later end: make another first."}
	}
	return v.after(err, func(status int, text string) error { return e.showClient(v, p, status, text) }, p.here+"/clients/"+v.path("client"), endNotice(ends))
}

func (e *PartyPages) setClientActive(v *visit, p party) error {
	id, active := v.path("client"), v.field("to") == accounts.ActiveText(true)
	if !active && !v.confirmed() {
		return askToConfirm(v, confirmPage{Question: "Suspend " + id + " of " + p.name + "?", Button: "Suspend", Action: p.here + "/clients/" + id + "/active", Back: p.here, Fields: map[string]string{"to": accounts.ActiveText(false)},
			Text: "It gets no tokens from now on. Its tokens are invalid within a second, and its open enrolment codes are void at once. Terminals that its codes enrolled go on; the next page lists them. It can be enabled again, and gets new tokens then."})
	}
	_, err := e.Clients.SetClientActive(v.Context(), v.Actor(), p.Principal, id, active)
	if err != nil {
		return p.refuse(v, err)
	}
	return v.redirect(p.here+"/clients/"+id, map[bool]string{true: "client-on", false: "client-off"}[active])
}

// voidedCodesText says how many enrolment codes became void.
func voidedCodesText(n int) string {
	switch n {
	case 0:
		return "It had no open enrolment code."
	case 1:
		return "An open enrolment code of its own is void."
	}
	return fmt.Sprintf("%d open enrolment codes of its own are void.", n)
}
