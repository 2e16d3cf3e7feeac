package console

import (
	"errors"
	"fmt"
	"net/http"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/staff"
)

// refusal is an error with a text for people.
type refusal struct {
	status int
	text   string // a sentence
}

func (e *refusal) Error() string { return e.text }

// refuse returns a refusal of invalid input.
func refuse(format string, args ...any) error {
	return &refusal{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}
}

// toUserError returns the text of an error that people can do something about; false:
// the error belongs into the log.
func toUserError(err error) (refusal, bool) {
	var wait *staff.WaitError
	var byCase *reconcile.Refusal
	var own *refusal
	switch {
	case err == nil:
		return refusal{}, false
	case errors.As(err, &wait):
		return refusal{http.StatusTooManyRequests, "Too many attempts. Try again in " + formatAge(wait.Wait) + "."}, true
	case errors.As(err, &own):
		return *own, true
	case errors.As(err, &byCase):
		return refusal{http.StatusUnprocessableEntity, sentence(byCase.Error())}, true
	case errors.Is(err, central.ErrNotFound):
		return refusal{http.StatusNotFound, "The central has no such record."}, true
	case errors.Is(err, central.ErrTaken):
		return refusal{http.StatusConflict, "This name is in use, or was: choose another."}, true
	case errors.Is(err, central.ErrBusy):
		return refusal{http.StatusServiceUnavailable, "The database is busy. Try again."}, true
	}
	if errors.Is(err, central.ErrState) {
		return refusal{http.StatusConflict, "Its state has changed meanwhile: load the page again."}, true
	}
	for _, known := range []struct {
		err    error
		status int
	}{
		{staff.ErrWrong, http.StatusUnauthorized},
		{staff.ErrSetup, http.StatusUnauthorized},
		{staff.ErrCode, http.StatusUnauthorized},
		{staff.ErrLogin, http.StatusUnprocessableEntity},
		{staff.ErrName, http.StatusUnprocessableEntity},
		{staff.ErrViewName, http.StatusUnprocessableEntity},
		{staff.ErrViews, http.StatusConflict},
		{staff.ErrRole, http.StatusUnprocessableEntity},
		{staff.ErrPassword, http.StatusUnprocessableEntity},
		{staff.ErrSamePassword, http.StatusUnprocessableEntity},
		{staff.ErrLastAdmin, http.StatusConflict},
		{staff.ErrTooMany, http.StatusConflict},
		{staff.ErrUnapproved, http.StatusConflict},
		{staff.ErrNotIndependent, http.StatusConflict},
		{staff.ErrNothingToApprove, http.StatusConflict},
		{staff.ErrResetPending, http.StatusConflict},
		{reconcile.ErrNoEvidence, http.StatusUnprocessableEntity},
		{reconcile.ErrTooEarly, http.StatusConflict},
		{reconcile.ErrSamePerson, http.StatusConflict},
		{reconcile.ErrChanged, http.StatusConflict},
		{reconcile.ErrNotIndependent, http.StatusConflict},
		{reconcile.ErrSuperseded, http.StatusConflict},
		{reconcile.ErrEffective, http.StatusConflict},
	} {
		if errors.Is(err, known.err) {
			return refusal{known.status, sentence(known.err.Error())}, true
		}
	}
	return refusal{}, false
}

// toUserError is the text of an error on the pages of a site.
func (s site) toUserError(err error) (refusal, bool) {
	for known, text := range s.errorTexts {
		if errors.Is(err, known) {
			r, ok := toUserError(known)
			r.text = text
			return r, ok
		}
	}
	return toUserError(err)
}

// portalErrors are the errors whose texts name what only the console has.
func portalErrors() map[error]string {
	return map[error]string{
		staff.ErrSetup:     "Login or set-up code is wrong, or the code was used or is older than a day: ask an owner of your company for a new one, or the company that runs this central.",
		staff.ErrRole:      "A role is member or owner.",
		staff.ErrLastAdmin: "This is the last owner: make another person an owner first.",
	}
}

// sentence makes an error's text a sentence.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first := text[:1]
	if first[0] >= 'a' && first[0] <= 'z' {
		first = string(first[0] - 'a' + 'A')
	}
	return first + text[1:] + "."
}
