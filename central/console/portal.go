package console

import (
	"context"
	"errors"
	"net/http"

	"galla/central"
	"galla/central/accounts"
	"galla/central/selfservice"
	"galla/central/staff"
)

// PortalRoot is the path of the portal on the address of the direct routes.
const PortalRoot = "/portal/"

// PortalParts is what the portal shows and acts on.
type PortalParts struct {
	People  *staff.Service // of the realm staff.Portal
	Own     *selfservice.Service
	Vendors Vendors
}

// Vendors reads vendors and their merchants.
type Vendors interface {
	Vendor(ctx context.Context, id central.VendorID) (central.Vendor, error)
	MerchantsBy(ctx context.Context, f accounts.Filter) ([]central.Merchant, error)
}

// Portal is the pages on which the people of vendors manage what is their vendor's own. It
// is the console with other people, pages and cookies.
type Portal struct {
	PortalParts
	*Console
}

// NewPortal makes a Portal of all its parts.
func NewPortal(parts PortalParts, cfg Config) (*Portal, error) {
	if parts.People == nil || parts.Own == nil || parts.Vendors == nil {
		return nil, errors.New("the portal needs people, what vendors manage by themselves, and vendors")
	}
	p := &Portal{parts, &Console{Parts: Parts{Staff: parts.People}}}
	p.site = site{
		root: PortalRoot, cookie: "galla_portal", name: "portal", stylesheets: []string{"chart.css", "console.css", "parties.css"}, admit: p.admitVendor, nav: portalNav(), errorTexts: portalErrors(),
		templates: []string{
			"templates/portal/*.html", "templates/sign-in.html", "templates/set-up.html", "templates/set-up-factor.html", "templates/step-up.html", "templates/me.html",
			"templates/message.html", "templates/one-time.html", "templates/confirm.html", "templates/setup-code.html", "templates/staff.html", "templates/member.html",
		},
	}
	return p, p.open(cfg, p.routeTable())
}

// portalNav are the links of the navigation.
func portalNav() []navEntry {
	return []navEntry{
		{PortalRoot + "home", "Today", staff.PortalMember},
		{PortalRoot + "operations", "Operations", staff.PortalMember},
		{PortalRoot + "merchants", "Merchants", staff.PortalMember},
		{PortalRoot + "callbacks", "Callbacks", staff.PortalMember},
		{PortalRoot + "keys", "API keys", staff.PortalMember},
		{PortalRoot + "clients", "Client secrets", staff.PortalMember},
		{PortalRoot + "people", "People", staff.Owner},
	}
}

func (p *Portal) routeTable() []route {
	get := func(path string, do handler) route {
		return route{pattern: "GET " + PortalRoot + path, minRole: staff.PortalMember, handle: do}
	}
	post := func(path string, do handler) route {
		return route{pattern: "POST " + PortalRoot + path, minRole: staff.PortalMember, handle: do}
	}
	all := []route{
		get("home", p.home),
		get("operations", p.operations), get("operations/{operation}", p.operation), get("operations.csv", p.operationsCSV),
		get("merchants", p.merchants), get("merchants/{merchant}", p.endpoint),
		post("merchants/{merchant}/endpoint", p.setEndpoint), post("merchants/{merchant}/secrets", p.addCallbackSecret),
		post("merchants/{merchant}/secrets/{secret}/end", p.endCallbackSecret),
		get("endpoint", p.endpoint), post("endpoint", p.setEndpoint), post("endpoint/secrets", p.addCallbackSecret),
		post("endpoint/secrets/{secret}/end", p.endCallbackSecret),
		get("callbacks", p.callbacks), get("callbacks/{operation}", p.callback),
		withoutStepUp("it repeats a message to the endpoint that is set", post("callbacks/{operation}/resend", p.resend)),
		get("keys", p.keys), post("keys", p.addKey), post("keys/{key}/end", p.endKey),
		get("clients", p.clients), post("clients/{client}/secrets", p.addSecret), post("clients/{client}/secrets/{secret}/end", p.endSecret),
		{pattern: "GET " + PortalRoot, minRole: staff.PortalMember, handle: p.notFound},
	}
	for _, list := range [][]route{p.signInRoutes(), p.stepUpRoutes(), p.staffRoutes()} {
		all = append(all, list...)
	}
	return all
}

// admitVendor refuses the people of a vendor that is suspended: nothing of theirs is served,
// here as through the interface. They may sign out.
func (p *Portal) admitVendor(v *visit) error {
	vendor, err := p.Vendors.Vendor(v.Context(), v.Vendor)
	if err == nil && !vendor.Active && v.r.URL.Path != PortalRoot+"sign-out" {
		err = &refusal{http.StatusForbidden, "The account of " + vendor.LegalName + " is not active. Ask the company that runs this central."}
	}
	return err
}
