package estate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"galla/central"
	"galla/central/console"
	"galla/central/operator"
	"galla/central/parties"
	"galla/shared/op"
)

// clientRoutes are an admin's ways to let programs of parties call the direct
// door, which give their id and secret for tokens.
func (e *Estate) clientRoutes() (all []console.Route) {
	for _, of := range []string{"merchants/{merchant}", "vendors/{vendor}", "aggregators/{aggregator}"} {
		all = append(all,
			get(of+"/clients/{client}", operator.Viewer, e.client),
			post(of+"/clients", operator.Admin, e.addClient),
			post(of+"/clients/{client}/secret", operator.Admin, e.renewClient),
			post(of+"/clients/{client}/active", operator.Admin, e.setClientActive))
	}
	return all
}

// programs are a party's clients as its page shows them.
type programs struct {
	List []parties.Client
	Live int
	Max  int
	At   string // the party's page
}

// programsOf reads a party's clients.
func (e *Estate) programsOf(ctx context.Context, p central.Principal, at string) (programs, error) {
	list, err := e.Roll.ClientsOf(ctx, p, time.Now())
	out := programs{List: list, Max: parties.MaxLiveClients, At: at}
	for _, x := range list {
		if x.Active {
			out.Live++
		}
	}
	return out, err
}

// pageOf is the page of a party.
func pageOf(p central.Principal) string {
	switch p.Role {
	case op.Merchant:
		return console.Root + "merchants/" + string(p.Merchant)
	case op.Vendor:
		return console.Root + "vendors/" + string(p.Vendor)
	}
	return console.Root + "aggregators/" + string(p.Aggregator)
}

// clientPage is one client's data.
type clientPage struct {
	parties.Client
	At, Party, PartyName string // its page, its party's, and whose name that is
	Terminals            terminalsTable
}

// client shows what a program has: its terminals are judged by whoever suspended it.
func (e *Estate) client(v *console.Visit) {
	p, err := e.partyOf(v)
	if err != nil {
		v.Fail(err)
		return
	}
	list, err := e.Roll.ClientsOf(v.Context(), p.Principal, time.Now())
	d := clientPage{At: p.here + "/clients/" + v.Path("client"), Party: p.here, PartyName: p.name}
	for _, x := range list {
		if x.ID == v.Path("client") {
			d.Client = x
		}
	}
	if err == nil && d.ID == "" {
		err = central.ErrNotFound
	}
	if err == nil {
		d.Terminals, err = e.terminalsOf(v, parties.TerminalFilter{Client: d.ID}, d.At)
	}
	if err != nil {
		v.Fail(err)
		return
	}
	v.Show(http.StatusOK, console.Page{Name: "client", Title: d.ID, Back: p.here, Data: d})
}

// party is whose client a request is about.
type party struct {
	central.Principal
	id   string
	name string
	here string // its page
	show func(v *console.Visit, status int, alert string)
}

// partyOf reads the party that the address names.
func (e *Estate) partyOf(v *console.Visit) (party, error) {
	switch {
	case v.Path("merchant") != "":
		m, err := e.Roll.Merchant(v.Context(), central.MerchantID(v.Path("merchant")))
		return party{central.Principal{Role: op.Merchant, Merchant: m.ID}, string(m.ID), m.LegalName, console.Root + "merchants/" + string(m.ID),
			func(v *console.Visit, status int, alert string) { e.showMerchant(v, m.ID, status, alert) }}, err
	case v.Path("vendor") != "":
		x, err := e.Roll.Vendor(v.Context(), central.VendorID(v.Path("vendor")))
		return party{central.Principal{Role: op.Vendor, Vendor: x.ID}, string(x.ID), x.LegalName, console.Root + "vendors/" + string(x.ID),
			func(v *console.Visit, status int, alert string) { e.showVendor(v, x.ID, status, alert) }}, err
	}
	a, err := e.findAggregator(v)
	return party{central.Principal{Role: op.Aggregator, Aggregator: a.ID}, string(a.ID), a.LegalName, console.Root + "aggregators/" + string(a.ID),
		func(v *console.Visit, status int, alert string) { e.showAggregator(v, a, status, alert, nil) }}, err
}

// clientStep carries out a step on a party's client, and tells its error on the
// party's page.
func clientStep(v *console.Visit, p party, c operator.Change, step func(ctx context.Context) error) bool {
	c.Subject = p.id
	err := v.Do(c, func(ctx context.Context) error {
		err := step(ctx)
		if errors.Is(err, parties.ErrManyClients) {
			err = &console.Refusal{Status: http.StatusConflict, Text: "The party has as many live programs as it may: suspend one first."}
		}
		return err
	})
	if err == nil {
		return true
	}
	if status, text, ok := v.Told(err); ok && status == http.StatusNotFound {
		v.Fail(err)
	} else if ok {
		p.show(v, status, text)
	}
	return false
}

// handed shows a client's secret, once.
func handed(v *console.Visit, p party, made parties.Credential, lead string) {
	here := p.here + "/clients/" + made.ID
	v.Show(http.StatusOK, console.Page{Name: "once", Title: "Program of " + p.name, Back: p.here, Data: once{
		Lead:  lead,
		Lines: []line{{"client_id", made.ID}, {"client_secret", made.Secret.Reveal()}},
		Note:  "The secret is not shown again: the central keeps a hash of it. Hand it over by a way that only they read. The program gets tokens with it at POST /oauth/token.",
		More:  link{here, "What " + made.ID + " has, and the terminals that its codes enrolled"},
	}})
}

func (e *Estate) addClient(v *console.Visit) {
	p, err := e.partyOf(v)
	if err != nil {
		v.Fail(err)
		return
	}
	var made parties.Credential
	if clientStep(v, p, operator.Change{What: "client.add", Became: "live"}, func(ctx context.Context) (err error) {
		made, err = e.Roll.NewClient(ctx, p.Principal)
		return err
	}) {
		handed(v, p, made, "A further program of "+p.name+" may call the direct door from now on, with what its role allows.")
	}
}

func (e *Estate) renewClient(v *console.Visit) {
	p, err := e.partyOf(v)
	if err != nil {
		v.Fail(err)
		return
	}
	id := v.Path("client")
	if !v.Sure() {
		ask(v, sure{Question: "Give " + id + " another secret?", Button: "Yes, make another", Action: p.here + "/clients/" + id + "/secret", Back: p.here,
			Text: "The secret that it has gets no token from now on. Within a second the tokens that it got open nothing any more, and its open enrolment codes are void at once. For a change without a gap, make a second program's secret, change over, and suspend the first."})
		return
	}
	var made parties.Credential
	if clientStep(v, p, operator.Change{What: "client.secret", Note: "client " + id, Became: "another secret"}, func(ctx context.Context) (err error) {
		made, err = e.Roll.RenewClient(ctx, p.Principal, id)
		return err
	}) {
		handed(v, p, made, fmt.Sprintf("The program of %s needs this secret now: the one before gets no token any more, and the tokens that it got are void. %s", p.name, voided(made.Voided)))
	}
}

func (e *Estate) setClientActive(v *console.Visit) {
	p, err := e.partyOf(v)
	if err != nil {
		v.Fail(err)
		return
	}
	id, active := v.Path("client"), v.Form("to") == activity(true)
	if !active && !v.Sure() {
		ask(v, sure{Question: "Suspend " + id + " of " + p.name + "?", Button: "Yes, suspend", Action: p.here + "/clients/" + id + "/active", Back: p.here, Fields: map[string]string{"to": activity(false)},
			Text: "It gets no token from now on. Within a second the tokens that it got open nothing any more, and its open enrolment codes are void at once. Terminals that its codes enrolled go on; the next page lists them. It can be let in again, and gets new tokens then."})
		return
	}
	if clientStep(v, p, operator.Change{What: "client.active", Note: "client " + id, Was: activity(!active), Became: activity(active)}, func(ctx context.Context) error {
		_, err := e.Roll.SetClientActive(ctx, p.Principal, id, active, time.Now())
		return err
	}) {
		v.To(p.here+"/clients/"+id, map[bool]string{true: "client-on", false: "client-off"}[active])
	}
}

// voided tells how many enrolment codes ended.
func voided(n int) string {
	switch n {
	case 0:
		return "It had no open enrolment code."
	case 1:
		return "An open enrolment code of its own is void."
	}
	return fmt.Sprintf("%d open enrolment codes of its own are void.", n)
}
