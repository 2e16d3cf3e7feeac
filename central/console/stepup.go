package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"galla/central/staff"
	"galla/shared/secret"
	"galla/shared/webguard"
)

// Privileged forms ask for a TOTP code again (step-up). Every form of a signed-in person
// is privileged, unless its route says why not: a stolen session, or one that was left
// open, changes no money, access or party.

// stepUpField is the code's field in forms.
const stepUpField = "step_up"

// stepUpRoutes are the routes to type a code before a form with a file.
func (c *Console) stepUpRoutes() []route {
	return []route{
		{pattern: "GET " + c.root + "step-up", minRole: staff.Viewer, handle: c.stepUp},
		{pattern: "POST " + c.root + "step-up", minRole: staff.Viewer, noStepUp: "it asks for the code itself", handle: c.doStepUp},
	}
}

// needsStepUp reports whether a route asks for a code.
func (rt route) needsStepUp() bool {
	return !rt.public && rt.noStepUp == "" && rt.method() == http.MethodPost
}

// stepUpPage is the page's data: the form that waits for the code.
type stepUpPage struct {
	Action string
	Fields []hiddenField
	Again  bool // the form is to be sent again, since it brought a file
}

type hiddenField struct{ Name, Value string }

// requireStepUp lets a privileged form through, or answers with a page that asks for a
// code and then sends the same form.
func (v *visit) requireStepUp(fields url.Values, file bool) bool {
	if v.SteppedUp(time.Now()) {
		return true
	}
	status, alert := http.StatusUnauthorized, ""
	if code := fields.Get(stepUpField); code != "" {
		in, err := v.c.Staff.StepUp(v.Context(), v.SignedIn, secret.NewOTP(code))
		if err == nil {
			v.SignedIn = in
			return true
		}
		known, ok := toUserError(err)
		if !ok {
			v.fail(err)
			return false
		}
		status, alert = known.status, known.text
	}
	d := stepUpPage{Action: v.r.URL.Path, Again: file}
	if file {
		d.Action = v.c.root + "step-up"
		d.Fields = []hiddenField{{"next", strings.TrimSuffix(v.r.URL.Path, "/propose")}}
	} else {
		d.Fields = hiddenFields(fields)
	}
	_ = v.show(status, page{Name: "step-up", Title: "Enter an authenticator code", Alert: alert, Data: d})
	return false
}

// hiddenFields are a form's own fields, sorted.
func hiddenFields(fields url.Values) (kept []hiddenField) {
	for name, values := range fields {
		if name == "csrf" || name == stepUpField {
			continue
		}
		for _, value := range values {
			kept = append(kept, hiddenField{name, value})
		}
	}
	slices.SortStableFunc(kept, func(a, b hiddenField) int { return cmp.Compare(a.Name, b.Name) })
	return kept
}

func (c *Console) stepUp(v *visit) error {
	return c.showStepUp(v, http.StatusOK, "", v.query().Get("next"))
}

func (c *Console) showStepUp(v *visit, status int, alert, next string) error {
	return v.show(status, page{Name: "step-up", Title: "Enter an authenticator code", Alert: alert,
		Data: stepUpPage{Action: c.root + "step-up", Fields: []hiddenField{{"next", webguard.LocalPath(next, c.root)}}}})
}

func (c *Console) doStepUp(v *visit) error {
	_, err := c.Staff.StepUp(v.Context(), v.SignedIn, secret.NewOTP(v.field(stepUpField)))
	return v.after(err, func(status int, text string) error { return c.showStepUp(v, status, text, v.field("next")) }, webguard.LocalPath(v.field("next"), c.root), "")
}
