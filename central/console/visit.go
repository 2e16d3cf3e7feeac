package console

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"galla/central/staff"
)

// visit is a request as pages see it, with its answer: show, message and redirect give
// it, and return nil.
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

// message answers with a page of one text.
func (v *visit) message(status int, title, text string) error {
	return v.show(status, page{Name: "message", Title: title, Data: text})
}

// redirect leads to another page; done names the notice that it shows.
func (v *visit) redirect(path, done string) error {
	if done != "" {
		sign := "?"
		if strings.Contains(path, sign) {
			sign = "&"
		}
		path += sign + "done=" + url.QueryEscape(done)
	}
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// csv sets the headers of a CSV file to download.
func (v *visit) csv(name string) {
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
}

// flush sends what was written of a file, so that a long one begins at once, also where few
// of many records are in it.
func (v *visit) flush() {
	_ = http.NewResponseController(v.w).Flush() // the rest comes later, or its failure is seen then
}

// fail answers with an error: with a text that helps where there is one, and logs it
// otherwise.
func (v *visit) fail(err error) {
	status, text := http.StatusInternalServerError, "The central could not do this now. The log has the reason. Try again, and check /readyz if it fails again."
	if known, ok := v.c.toUserError(err); ok {
		status, text = known.status, known.text
	}
	if status >= http.StatusInternalServerError {
		v.c.log.Error("a page of the console failed", "path", v.r.URL.Path, "error", err)
	}
	_ = v.message(status, "This did not work", text) // nil: it is the answer
}

// backFunc shows a form's page again, with the reason why the form was refused.
type backFunc = func(status int, text string) error

// refuse answers an error: by back, or with a page of its own where there is no such
// record, or no text for people.
func (v *visit) refuse(err error, back backFunc) error {
	if known, ok := v.c.toUserError(err); ok && known.status != http.StatusNotFound {
		return back(known.status, known.text)
	}
	return err
}

// after answers a step: it leads to another page, or refuses.
func (v *visit) after(err error, back backFunc, path, done string) error {
	if err != nil {
		return v.refuse(err, back)
	}
	return v.redirect(path, done)
}
