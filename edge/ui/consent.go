package ui

import (
	"errors"
	"net/http"
	"strings"

	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/shared/secret"
)

// AadhaarField is the field of the customer's Aadhaar number: the piece "aadhaar". The
// number is never sent back.
type AadhaarField struct {
	Error string // what is wrong with the number
	// Again asks for the number again, where the form was refused for something else: the
	// script of the page that was refused still has it, for a minute. Empty: the field is new.
	Again string
	Focus bool
}

// ReadAadhaar reads the Aadhaar number of a form; wrong says what is wrong with it.
func ReadAadhaar(w *i18n.Localizer, r *http.Request) (number secret.Aadhaar, wrong string) {
	digits := strings.NewReplacer(" ", "", "-", "").Replace(r.PostForm.Get("aadhaar"))
	number, err := secret.ParseAadhaar(digits)
	switch {
	case digits == "":
		wrong = w.Text("field.aadhaar.missing")
	case errors.Is(err, secret.ErrAadhaarCheck):
		wrong = w.Text("field.aadhaar.check")
	case err != nil:
		wrong = w.Text("field.aadhaar.shape")
	}
	return number, wrong
}

// AskAgain asks for a number again that is neither sent back nor stored, unless something
// else is wrong with it.
func (f *AadhaarField) AskAgain(w *i18n.Localizer, number secret.Aadhaar) {
	if f.Error == "" && !number.IsZero() {
		f.Again = w.Text("field.aadhaar.again", "masked", number.Masked())
		f.Error = f.Again
	}
}

// Consent is what the agent reads to the customer before a capture, in one language.
type Consent struct {
	i18n.Language
	Text    string
	Agrees  string // label of the checkbox
	Version string
}

// ConsentField is the consent in each language, of which the page shows the customer's, and
// its checkbox: the pieces "consent" and "consent-language".
type ConsentField struct {
	Texts    []Consent
	Language string // the customer's
	Form     string // id of the form that gets the language
	Given    bool
	Error    string
	Focus    bool
}

// ConsentFieldOf returns the consent to an operation of a kind, for a form.
func (k *Kit) ConsentFieldOf(ses *Session, kind outcome.Kind, shop, form string) ConsentField {
	f := ConsentField{Language: ses.CustomerLanguage(), Form: form}
	for _, l := range i18n.Languages() {
		f.Texts = append(f.Texts, k.consentIn(l, kind, shop))
	}
	return f
}

func (k *Kit) consentIn(l i18n.Language, kind outcome.Kind, shop string) Consent {
	theirs := k.In(l.Code)
	return Consent{l, outcome.ConsentText(theirs, kind, shop), theirs.Text("consent.label"), outcome.ConsentVersion(theirs)}
}

// ReadConsent reads the consent and the customer's language of a form. It returns the
// version of the text; empty: the customer has not agreed.
func (k *Kit) ReadConsent(ses *Session, r *http.Request) (version string) {
	ses.SetCustomerLanguage(r.PostForm.Get("customer-language"))
	if r.PostForm.Get("consent") == "" {
		return ""
	}
	return outcome.ConsentVersion(k.In(ses.CustomerLanguage()))
}

// ConsentOf returns the consent of a version, to read out before each capture: the piece
// "agreed"; nil where the operation has no customer.
func (k *Kit) ConsentOf(version string, kind outcome.Kind, shop string) *Consent {
	code := outcome.CustomerLanguage(version)
	if code == "" {
		return nil
	}
	c := k.consentIn(i18n.Language{Code: code}, kind, shop)
	c.Version = version
	return &c
}
