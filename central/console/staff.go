package console

import (
	"net/http"

	"galla/central/staff"
)

// staffRoutes are an admin's routes to manage the staff.
func (c *Console) staffRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "staff", minRole: staff.Admin, handle: c.staffList},
		{pattern: "POST " + Root + "staff", minRole: staff.Admin, handle: c.addMember},
		{pattern: "GET " + Root + "staff/{login}", minRole: staff.Admin, handle: c.member},
		{pattern: "POST " + Root + "staff/{login}/role", minRole: staff.Admin, handle: c.setRole},
		{pattern: "POST " + Root + "staff/{login}/disable", minRole: staff.Admin, handle: c.disable},
		{pattern: "POST " + Root + "staff/{login}/approve", minRole: staff.Admin, handle: c.approve},
		{pattern: "POST " + Root + "staff/{login}/reset", minRole: staff.Admin, handle: c.reset},
	}
}

// staffPage is the list's data, with what was typed.
type staffPage struct {
	Members     []staff.Member
	Roles       []staff.Role
	Login, Name string
	Role        staff.Role
}

func (c *Console) staffList(v *visit) error {
	return c.showStaff(v, http.StatusOK, "", staffPage{Role: staff.Viewer})
}

func (c *Console) showStaff(v *visit, status int, alert string, d staffPage) error {
	var err error
	if d.Members, err = c.Staff.Members(v.Context()); err != nil {
		return err
	}
	d.Roles = staff.Roles()
	return v.show(status, page{Name: "staff", Title: "Staff", Alert: alert, Data: d})
}

func (c *Console) addMember(v *visit) error {
	f := v.r.PostForm
	setup, err := c.Staff.Add(v.Context(), f.Get("login"), f.Get("name"), staff.Role(f.Get("role")), v.Actor())
	if err != nil {
		return v.refuse(err, func(status int, text string) error {
			return c.showStaff(v, status, text, staffPage{Login: f.Get("login"), Name: f.Get("name"), Role: staff.Role(f.Get("role"))})
		})
	}
	return c.showCode(v, setup)
}

// showCode shows a set-up code, once.
func (c *Console) showCode(v *visit, s staff.Setup) error {
	return v.show(http.StatusOK, page{Name: "setup-code", Title: "Hand over this code", Back: Root + "staff", Data: struct {
		staff.Setup
		Code string
	}{s, s.Code.Reveal()}})
}

// memberPage is one member's data.
type memberPage struct {
	staff.Member
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
	p, err := c.Staff.Member(v.Context(), v.path("login"))
	if err != nil {
		return err
	}
	back := Root + "staff"
	if sure != "" {
		back += "/" + p.Login
	}
	return v.show(status, page{Name: "member", Title: p.Name, Back: back, Alert: alert,
		Data: memberPage{p, staff.Roles(), p.Login == v.Login(), p.RequestedBy == v.Login(), sure}})
}

func (c *Console) approve(v *visit) error {
	return c.afterMemberStep(v, "approved", c.Staff.Approve(v.Context(), v.path("login"), v.Actor()))
}

func (c *Console) setRole(v *visit) error {
	return c.afterMemberStep(v, "role", c.Staff.SetRole(v.Context(), v.path("login"), staff.Role(v.field("role")), v.Actor()))
}

func (c *Console) disable(v *visit) error {
	if !v.confirmed() {
		return c.showMember(v, http.StatusOK, "", "disable")
	}
	return c.afterMemberStep(v, "disabled", c.Staff.Disable(v.Context(), v.path("login"), v.Actor()))
}

func (c *Console) afterMemberStep(v *visit, did string, err error) error {
	return v.after(err, func(status int, text string) error { return c.showMember(v, status, text, "") }, Root+"staff/"+v.path("login")+"?done="+did, "")
}

func (c *Console) reset(v *visit) error {
	if !v.confirmed() {
		return c.showMember(v, http.StatusOK, "", "reset")
	}
	setup, err := c.Staff.Reset(v.Context(), v.path("login"), v.Actor())
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return c.showMember(v, status, text, "") })
	}
	return c.showCode(v, setup)
}
