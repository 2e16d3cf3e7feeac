package screen

import (
	"net/http"
	"testing"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web/webtest"
)

// TestConsentLanguage: the consent is the customer's, in the customer's
// language, whatever the agent reads; the record says which, and the next form
// remembers.
func TestConsentLanguage(t *testing.T) {
	v := unlocked(t)
	webtest.Has(t, v.Get("/new/withdrawal", http.StatusOK), `<option value="en" lang="en" selected>`, "I give my Aadhaar number", "मैं अपना आधार नंबर", "AEPS-HI-1")
	v.Post("/new/withdrawal", http.StatusSeeOther, filled("customer-language", "hi")...)
	if d := v.f.drafts[0]; d.Consent != "AEPS-HI-1" || told.CustomerLanguage(d.Consent) != "hi" {
		t.Errorf("the draft's consent is %q", d.Consent)
	}
	// It stands there before each capture, the second try's too, and not after.
	id := v.f.latest(t)
	agreed := `<blockquote class="card agreed" lang="hi">`
	webtest.Has(t, v.Get("/op/"+string(id), http.StatusOK), agreed, "मैं अपना आधार नंबर", "AEPS-HI-1")
	v.f.move(id, func(v *edge.View) { v.Problem = &edge.CaptureError{Code: "700", Action: "retry-customer"} })
	webtest.Has(t, v.Get("/op/"+string(id), http.StatusOK), agreed)
	v.f.move(id, paid)
	webtest.HasNot(t, v.Get("/op/"+string(id), http.StatusOK), "blockquote")
	webtest.Has(t, v.Get("/new/balance", http.StatusOK), `<html lang="en">`, `<option value="hi" lang="hi" selected>`)
	// A language that nobody speaks here changes nothing; a form that is wrong
	// keeps the choice.
	v.Post("/new/withdrawal", http.StatusSeeOther, filled("customer-language", "xx")...)
	if d := v.f.drafts[1]; d.Consent != "AEPS-HI-1" {
		t.Errorf("the draft's consent is %q", d.Consent)
	}
	webtest.Has(t, v.Post("/new/withdrawal", http.StatusUnprocessableEntity, filled("customer-language", "ta", "amount", "")...), `<option value="ta" lang="ta" selected>`)
}
