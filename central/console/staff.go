package console

import (
	"net/http"

	"galla/central/staff"
)

// staffRoutes are an admin's routes to manage the staff.
func (c *Console) staffRoutes() []route {
	return []route{
		{pattern: "GET " + c.peoplePath(), minRole: staff.Admin, handle: c.staffList},
		{pattern: "POST " + c.peoplePath(), minRole: staff.Admin, handle: c.addMember},
		{pattern: "GET " + c.peoplePath() + "/{login}", minRole: staff.Admin, handle: c.member},
		{pattern: "POST " + c.peoplePath() + "/{login}/role", minRole: staff.Admin, handle: c.setRole},
		{pattern: "POST " + c.peoplePath() + "/{login}/disable", minRole: staff.Admin, handle: c.disable},
		{pattern: "POST " + c.peoplePath() + "/{login}/approve", minRole: staff.Admin, handle: c.approve},
		{pattern: "POST " + c.peoplePath() + "/{login}/reset", minRole: staff.Admin, handle: c.reset},
	}
}

// peoplePath is the address of the list of people.
func (c *Console) peoplePath() string {
	if c.root == Root {
		return Root + "staff"
	}
	return c.root + "people"
}

func (c *Console) peopleTitle() string {
	if c.root == Root {
		return "Staff"
	}
	return "People"
}

// people are those whom a signed-in person may manage: the console's staff, or the people
// of the person's own vendor.
func (c *Console) people(v *visit) *staff.Service {
	if c.root == Root {
		return c.Staff
	}
	return c.Staff.Within(v.Vendor)
}

// staffPage is the list's data, with what was typed.
type staffPage struct {
	At          string
	Members     []staff.Member
	Roles       []staff.Role
	Login, Name string
	Role        staff.Role
}

func (c *Console) staffList(v *visit) error {
	return c.showStaff(v, http.StatusOK, "", staffPage{Role: c.people(v).Realm().Roles()[0]})
}

func (c *Console) showStaff(v *visit, status int, alert string, d staffPage) error {
	var err error
	if d.Members, err = c.people(v).Members(v.Context()); err != nil {
		return err
	}
	d.At = c.peoplePath()
	d.Roles = c.people(v).Realm().Roles()
	return v.show(status, page{Name: "staff", Title: c.peopleTitle(), Alert: alert, Data: d})
}

func (c *Console) addMember(v *visit) error {
	f := v.r.PostForm
	setup, err := c.people(v).Add(v.Context(), f.Get("login"), f.Get("name"), staff.Role(f.Get("role")), v.Actor())
	if err != nil {
		return v.refuse(err, func(status int, text string) error {
			return c.showStaff(v, status, text, staffPage{Login: f.Get("login"), Name: f.Get("name"), Role: staff.Role(f.Get("role"))})
		})
	}
	return c.showCode(v, setup)
}

// showCode shows a set-up code, once.
func (c *Console) showCode(v *visit, s staff.Setup) error {
	return showSetupCode(v, s, c.peoplePath(), c.root)
}

// showSetupCode shows a set-up code, once; opens are the pages that it opens.
func showSetupCode(v *visit, s staff.Setup, back, opens string) error {
	return v.show(http.StatusOK, page{Name: "setup-code", Title: "Set-up code", Back: back, Data: struct {
		staff.Setup
		Code, Opens string
	}{s, s.Code.Reveal(), opens}})
}

// memberPage is one member's data.
type memberPage struct {
	staff.Member
	At    string // the list's page
	Roles []staff.Role
	Own   bool
	Yours bool // the reader requested what waits for approval
	// Confirm is a step that is asked about before it is taken; empty: none.
	Confirm string
}

func (c *Console) member(v *visit) error {
	return c.showMember(v, http.StatusOK, "", "")
}

func (c *Console) showMember(v *visit, status int, alert, sure string) error {
	p, err := c.people(v).Member(v.Context(), v.path("login"))
	if err != nil {
		return err
	}
	back := c.peoplePath()
	if sure != "" {
		back += "/" + p.Login
	}
	return v.show(status, page{Name: "member", Title: p.Name, Back: back, Alert: alert,
		Data: memberPage{p, c.peoplePath(), c.people(v).Realm().Roles(), p.Login == v.Login(), p.RequestedBy == v.Login(), sure}})
}

func (c *Console) approve(v *visit) error {
	return c.afterMemberStep(v, "approved", c.people(v).Approve(v.Context(), v.path("login"), v.Actor()))
}

func (c *Console) setRole(v *visit) error {
	return c.afterMemberStep(v, "role", c.people(v).SetRole(v.Context(), v.path("login"), staff.Role(v.field("role")), v.Actor()))
}

func (c *Console) disable(v *visit) error {
	if !v.confirmed() {
		return c.showMember(v, http.StatusOK, "", "disable")
	}
	return c.afterMemberStep(v, "disabled", c.people(v).Disable(v.Context(), v.path("login"), v.Actor()))
}

func (c *Console) afterMemberStep(v *visit, did string, err error) error {
	return v.after(err, func(status int, text string) error { return c.showMember(v, status, text, "") }, c.peoplePath()+"/"+v.path("login")+"?done="+did, "")
}

func (c *Console) reset(v *visit) error {
	if !v.confirmed() {
		return c.showMember(v, http.StatusOK, "", "reset")
	}
	setup, err := c.people(v).Reset(v.Context(), v.path("login"), v.Actor())
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return c.showMember(v, status, text, "") })
	}
	return c.showCode(v, setup)
}
