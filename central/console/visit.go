package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"galla/central/staff"
)

// visit is a request as pages see it, with its answer. Exactly one of show, redirect,
// fail and message answers it.
type visit struct {
	staff.SignedIn        // zero where nobody is signed in
	CSRF           string // the token of its forms
	From           string // the address of who asks

	c *Console
	w http.ResponseWriter
	r *http.Request
}

// Login is who is signed in; empty: nobody.
func (v *visit) Login() string { return v.Member.Login }

// Context is the request's.
func (v *visit) Context() context.Context { return v.r.Context() }

// path returns a wildcard of the route's pattern.
func (v *visit) path(name string) string { return v.r.PathValue(name) }

func (v *visit) query() url.Values { return v.r.URL.Query() }

// field returns a field of the form.
func (v *visit) field(name string) string { return v.r.PostForm.Get(name) }

// confirmed reports whether the person was asked once more, and agreed.
func (v *visit) confirmed() bool { return v.field("confirmed") == "yes" }

// runAudited runs a step and logs it (staff.AuditLog.RunAudited).
func (v *visit) runAudited(c staff.Change, step func(ctx context.Context) error) error {
	return v.c.Staff.RunAudited(v.Context(), v.Actor(), c, step)
}

// show answers with a page.
func (v *visit) show(status int, p page) { v.c.render(v.w, v.r, v, status, p) }

// message answers with a page of one text.
func (v *visit) message(status int, title, text string) {
	v.c.message(v.w, v.r, v, status, title, text)
}

// redirect leads to another page; done names the notice that it shows.
func (v *visit) redirect(path, done string) {
	if done != "" {
		sign := "?"
		if strings.Contains(path, sign) {
			sign = "&"
		}
		path += sign + "done=" + url.QueryEscape(done)
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
}

// csv sets the headers of a CSV file to download.
func (v *visit) csv(name string) {
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// fail answers with an error.
func (v *visit) fail(err error) { v.c.fail(v.w, v.r, v, err) }

// refused reports whether there is an error, and answers it: by back on the form's page,
// or with a page of its own where there is no such record, or no text for people.
func (v *visit) refused(err error, back func(status int, text string)) bool {
	if err == nil {
		return false
	}
	if known, ok := toUserError(err); ok && known.status != http.StatusNotFound {
		back(known.status, known.text)
	} else {
		v.fail(err)
	}
	return true
}
