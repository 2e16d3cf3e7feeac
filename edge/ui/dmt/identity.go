package dmt

import (
	"net/http"

	"galla/edge"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/op"
)

// identityForm is the page of a new sender's identity: the Aadhaar number, the consent and
// then the finger.
type identityForm struct {
	Aadhaar ui.AadhaarField
	Consent ui.ConsentField
}

// asksIdentity reports whether the flow is at the page of the customer's identity. It
// belongs to two steps: the bank checks the number before it takes the finger. Where it has
// the number already, and the finger failed, the page asks for both again.
func (f *flow) asksIdentity() bool { return f.Step == Aadhaar || f.Step == Finger }

// readIdentity reads the page of the customer's identity.
func (s *Pages) readIdentity(r *http.Request, ses *ui.Session, wrong formErrors) (p credentials) {
	var problem string
	if p.aadhaar, problem = ui.ReadAadhaar(ses.Words(), r); problem != "" {
		wrong["aadhaar"] = problem
	}
	if p.consent = s.ReadConsent(ses, r); p.consent == "" {
		wrong["consent"] = "field.consent.missing"
	}
	return p
}

// fillIdentity shows the page of the customer's identity. A refused form asks for the
// number again, which is neither sent back nor stored; the page's script still has it.
func (s *Pages) fillIdentity(ses *ui.Session, r *http.Request, d *flowData, f flow, wrong formErrors) {
	words, st := ses.Words(), s.counter.Status()
	x := &identityForm{Consent: s.ConsentFieldOf(ses, identityKind(), st.Merchant, "step")}
	x.Aadhaar.Error = s.fieldError(words, f, wrong["aadhaar"])
	switch number, problem := ui.ReadAadhaar(words, r); {
	case problem == "":
		x.Aadhaar.AskAgain(words, number)
	case f.Problem != "": // refused by the bank, after the form
		x.Aadhaar.Again = words.Text("field.aadhaar.missing")
	}
	x.Consent.Given, x.Consent.Error = r.PostForm.Get("consent") != "", s.fieldError(words, f, wrong["consent"])
	x.Aadhaar.Focus = x.Aadhaar.Error != "" || x.Consent.Error == ""
	x.Consent.Focus = !x.Aadhaar.Focus
	d.Identity, d.Ready, d.Submit = x, ui.Readiness(words, st), words.Text("form.submit")
}

// identityKind is the kind of the operation with the customer's finger.
func identityKind() outcome.Kind { return outcome.KindOfRoute(op.CustomerUpdateBio) }

// agreed is the consent to an operation that waits for its finger; nil: it needs none.
func (s *Pages) agreed(v edge.View, shop string) *ui.Consent {
	if v.State != op.Reserved {
		return nil
	}
	return s.ConsentOf(v.Consent, identityKind(), shop)
}
