package console

import (
	"net/http"

	"galla/central/operator"
)

// peopleRoutes are an admin's ways to manage people.
func (c *Console) peopleRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "people", need: operator.Admin, do: c.people},
		{pattern: "POST " + Root + "people", need: operator.Admin, do: c.addPerson},
		{pattern: "GET " + Root + "people/{login}", need: operator.Admin, do: c.person},
		{pattern: "POST " + Root + "people/{login}/role", need: operator.Admin, do: c.setRole},
		{pattern: "POST " + Root + "people/{login}/disable", need: operator.Admin, do: c.disable},
		{pattern: "POST " + Root + "people/{login}/approve", need: operator.Admin, do: c.approve},
		{pattern: "POST " + Root + "people/{login}/reset", need: operator.Admin, do: c.reset},
	}
}

// peoplePage is the list's data, with what was typed.
type peoplePage struct {
	People      []operator.Person
	Roles       []operator.Role
	Login, Name string
	Role        operator.Role
}

func (c *Console) people(w http.ResponseWriter, r *http.Request, v *visit) {
	c.showPeople(w, r, v, http.StatusOK, "", peoplePage{Role: operator.Viewer})
}

func (c *Console) showPeople(w http.ResponseWriter, r *http.Request, v *visit, status int, alert string, d peoplePage) {
	var err error
	if d.People, err = c.People.People(r.Context()); err != nil {
		c.failed(w, r, v, err)
		return
	}
	d.Roles = operator.Roles()
	c.render(w, r, v, status, page{Name: "people", Title: "People", Alert: alert, Data: d})
}

func (c *Console) addPerson(w http.ResponseWriter, r *http.Request, v *visit) {
	f := r.PostForm
	setup, err := c.People.Add(r.Context(), f.Get("login"), f.Get("name"), operator.Role(f.Get("role")), v.Actor())
	if err != nil {
		if status, text, ok := c.refusal(w, r, v, err); ok {
			c.showPeople(w, r, v, status, text, peoplePage{Login: f.Get("login"), Name: f.Get("name"), Role: operator.Role(f.Get("role"))})
		}
		return
	}
	c.showCode(w, r, v, setup)
}

// showCode shows a set-up code, once.
func (c *Console) showCode(w http.ResponseWriter, r *http.Request, v *visit, s operator.Setup) {
	c.render(w, r, v, http.StatusOK, page{Name: "code", Title: "Hand over this code", Back: Root + "people", Data: struct {
		operator.Setup
		Code string
	}{s, s.Code.Reveal()}})
}

// personPage is one person's data.
type personPage struct {
	operator.Person
	Roles []operator.Role
	Own   bool
	Yours bool // the visitor asked for what waits for approval
	// Sure is the step that is asked about once more before it is taken; empty:
	// none.
	Sure string
}

func (c *Console) person(w http.ResponseWriter, r *http.Request, v *visit) {
	c.showPerson(w, r, v, http.StatusOK, "", "")
}

func (c *Console) showPerson(w http.ResponseWriter, r *http.Request, v *visit, status int, alert, sure string) {
	p, err := c.People.Person(r.Context(), r.PathValue("login"))
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	back := Root + "people"
	if sure != "" {
		back += "/" + p.Login
	}
	c.render(w, r, v, status, page{Name: "person", Title: p.Name, Back: back, Alert: alert,
		Data: personPage{p, operator.Roles(), p.Login == v.Login(), p.AskedBy == v.Login(), sure}})
}

func (c *Console) approve(w http.ResponseWriter, r *http.Request, v *visit) {
	c.stepOfPerson(w, r, v, "approved", c.People.Approve(r.Context(), r.PathValue("login"), v.Actor()))
}

func (c *Console) setRole(w http.ResponseWriter, r *http.Request, v *visit) {
	c.stepOfPerson(w, r, v, "role", c.People.SetRole(r.Context(), r.PathValue("login"), operator.Role(r.PostForm.Get("role")), v.Actor()))
}

func (c *Console) disable(w http.ResponseWriter, r *http.Request, v *visit) {
	if r.PostForm.Get("sure") != "yes" {
		c.showPerson(w, r, v, http.StatusOK, "", "disable")
		return
	}
	c.stepOfPerson(w, r, v, "disabled", c.People.Disable(r.Context(), r.PathValue("login"), v.Actor()))
}

func (c *Console) stepOfPerson(w http.ResponseWriter, r *http.Request, v *visit, did string, err error) {
	if err != nil {
		if status, text, ok := c.refusal(w, r, v, err); ok {
			c.showPerson(w, r, v, status, text, "")
		}
		return
	}
	http.Redirect(w, r, Root+"people/"+r.PathValue("login")+"?done="+did, http.StatusSeeOther)
}

func (c *Console) reset(w http.ResponseWriter, r *http.Request, v *visit) {
	if r.PostForm.Get("sure") != "yes" {
		c.showPerson(w, r, v, http.StatusOK, "", "reset")
		return
	}
	setup, err := c.People.Reset(r.Context(), r.PathValue("login"), v.Actor())
	if err != nil {
		if status, text, ok := c.refusal(w, r, v, err); ok {
			c.showPerson(w, r, v, status, text, "")
		}
		return
	}
	c.showCode(w, r, v, setup)
}
