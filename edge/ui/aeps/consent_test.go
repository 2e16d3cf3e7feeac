package aeps

import (
	"net/http"
	"testing"

	"galla/edge"
	"galla/edge/outcome"
	"galla/edge/ui/uitest"
)

// TestConsentLanguage: the consent is in the customer's language, whatever the agent's;
// the record says which, and the next form remembers it.
func TestConsentLanguage(t *testing.T) {
	v := unlocked(t)
	uitest.Contains(t, v.Get("/new/withdrawal", http.StatusOK), `<option value="en" lang="en" selected>`, "I give my Aadhaar number", "मैं अपना आधार नंबर", "AEPS-HI-1")
	v.Post("/new/withdrawal", http.StatusSeeOther, filled("customer-language", "hi")...)
	if d := v.f.drafts[0]; d.Consent != "AEPS-HI-1" || outcome.CustomerLanguage(d.Consent) != "hi" {
		t.Errorf("the draft's consent is %q", d.Consent)
	}
	// It is shown before each capture, also of the second attempt, and not after.
	id := v.f.latest(t)
	agreed := `<blockquote class="card agreed" lang="hi">`
	uitest.Contains(t, v.Get("/op/"+string(id), http.StatusOK), agreed, "मैं अपना आधार नंबर", "AEPS-HI-1")
	v.f.move(id, func(v *edge.View) { v.Problem = &edge.CaptureError{Code: "700", Action: "retry-customer"} })
	uitest.Contains(t, v.Get("/op/"+string(id), http.StatusOK), agreed)
	v.f.move(id, paid)
	uitest.NotContains(t, v.Get("/op/"+string(id), http.StatusOK), "blockquote")
	uitest.Contains(t, v.Get("/new/balance", http.StatusOK), `<html lang="en">`, `<option value="hi" lang="hi" selected>`)
	// An unknown language changes nothing; a wrong form keeps the choice.
	v.Post("/new/withdrawal", http.StatusSeeOther, filled("customer-language", "xx")...)
	if d := v.f.drafts[1]; d.Consent != "AEPS-HI-1" {
		t.Errorf("the draft's consent is %q", d.Consent)
	}
	uitest.Contains(t, v.Post("/new/withdrawal", http.StatusUnprocessableEntity, filled("customer-language", "ta", "amount", "")...), `<option value="ta" lang="ta" selected>`)
}
