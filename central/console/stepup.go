package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"galla/central/operator"
	"galla/shared/secret"
)

// Privileged acts ask for a code of the second factor again (step-up). Every form of
// somebody signed in is privileged, but for those whose route says why it is not: a
// session that somebody else got hold of, or a desk that was left, settles, grants and
// suspends nothing.

// stepUpField is the code's field in forms.
const stepUpField = "step_up"

// stepUpRoutes are the way to type a code before a form that brings a file.
func (c *Console) stepUpRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "step-up", need: operator.Viewer, do: c.stepUp},
		{pattern: "POST " + Root + "step-up", need: operator.Viewer, free: "it asks for the code itself", do: c.doStepUp},
	}
}

// privileged tells whether a route asks for a code.
func (rt route) privileged() bool {
	return rt.need != "" && rt.free == "" && rt.method() == http.MethodPost
}

// stepUpPage is the page's data: the form that waits for the code.
type stepUpPage struct {
	Action string
	Fields []stepUpKept
	Again  bool // the form is to be sent again, since it brought a file
}

type stepUpKept struct{ Name, Value string }

// proven lets a privileged form through, or answers it by asking for a code: the
// form waits in that page, and goes on with the right one.
func (c *Console) proven(w http.ResponseWriter, r *http.Request, v *visit, fields url.Values, file bool) bool {
	if v.Proven(time.Now()) {
		return true
	}
	status, alert := http.StatusUnauthorized, ""
	if code := fields.Get(stepUpField); code != "" {
		in, err := c.People.StepUp(r.Context(), v.SignedIn, secret.NewOTP(code))
		if err == nil {
			v.SignedIn = in
			return true
		}
		var ok bool
		if status, alert, ok = c.refusal(w, r, v, err); !ok {
			return false
		}
	}
	d := stepUpPage{Action: r.URL.Path, Again: file}
	if file {
		d.Action = Root + "step-up"
		d.Fields = []stepUpKept{{"next", strings.TrimSuffix(r.URL.Path, "/propose")}}
	} else {
		d.Fields = keptFields(fields)
	}
	c.render(w, r, v, status, page{Name: "step-up", Title: "Type a code of your authenticator", Alert: alert, Data: d})
	return false
}

// keptFields are a form's own fields, in one order.
func keptFields(fields url.Values) (kept []stepUpKept) {
	for name, values := range fields {
		if name == "csrf" || name == stepUpField {
			continue
		}
		for _, value := range values {
			kept = append(kept, stepUpKept{name, value})
		}
	}
	slices.SortStableFunc(kept, func(a, b stepUpKept) int { return cmp.Compare(a.Name, b.Name) })
	return kept
}

func (c *Console) stepUp(w http.ResponseWriter, r *http.Request, v *visit) {
	c.showStepUp(w, r, v, http.StatusOK, "", r.URL.Query().Get("next"))
}

func (c *Console) showStepUp(w http.ResponseWriter, r *http.Request, v *visit, status int, alert, next string) {
	c.render(w, r, v, status, page{Name: "step-up", Title: "Type a code of your authenticator", Alert: alert,
		Data: stepUpPage{Action: Root + "step-up", Fields: []stepUpKept{{"next", localPath(next)}}}})
}

func (c *Console) doStepUp(w http.ResponseWriter, r *http.Request, v *visit) {
	if _, err := c.People.StepUp(r.Context(), v.SignedIn, secret.NewOTP(r.PostForm.Get(stepUpField))); err != nil {
		if status, text, ok := c.refusal(w, r, v, err); ok {
			c.showStepUp(w, r, v, status, text, r.PostForm.Get("next"))
		}
		return
	}
	http.Redirect(w, r, localPath(r.PostForm.Get("next")), http.StatusSeeOther)
}
