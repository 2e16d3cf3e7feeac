package console

import (
	"errors"
	"net/http"

	"galla/central"
	"galla/central/operator"
	"galla/central/settle"
)

// answer is how an error is told to people.
type answer struct {
	status int
	text   string
}

// told gives the words of an error that people can do something about; false:
// the log has it.
func told(err error) (answer, bool) {
	var wait *operator.WaitError
	var refused *settle.Refusal
	var own *Refusal
	switch {
	case err == nil:
		return answer{}, false
	case errors.As(err, &wait):
		return answer{http.StatusTooManyRequests, "Too many tries. Come back in " + age(wait.Wait) + "."}, true
	case errors.As(err, &own):
		return answer{own.Status, own.Text}, true
	case errors.As(err, &refused):
		return answer{http.StatusUnprocessableEntity, sentence(refused.Error())}, true
	case errors.Is(err, central.ErrNotFound):
		return answer{http.StatusNotFound, "The central has no such record."}, true
	case errors.Is(err, central.ErrTaken):
		return answer{http.StatusConflict, "This name is in use, or was: choose another."}, true
	case errors.Is(err, central.ErrBusy):
		return answer{http.StatusServiceUnavailable, "The database is busy. Try again."}, true
	}
	if errors.Is(err, central.ErrState) {
		return answer{http.StatusConflict, "Somebody was first, or it is in another state by now: load the page again."}, true
	}
	for _, known := range []struct {
		err    error
		status int
	}{
		{operator.ErrWrong, http.StatusUnauthorized},
		{operator.ErrSetup, http.StatusUnauthorized},
		{operator.ErrCode, http.StatusUnauthorized},
		{operator.ErrLogin, http.StatusUnprocessableEntity},
		{operator.ErrName, http.StatusUnprocessableEntity},
		{operator.ErrRole, http.StatusUnprocessableEntity},
		{operator.ErrPassword, http.StatusUnprocessableEntity},
		{operator.ErrSame, http.StatusUnprocessableEntity},
		{operator.ErrLastAdmin, http.StatusConflict},
		{operator.ErrTooMany, http.StatusConflict},
		{operator.ErrUnapproved, http.StatusConflict},
		{operator.ErrNotSecond, http.StatusConflict},
		{operator.ErrNotAsked, http.StatusConflict},
		{operator.ErrAsked, http.StatusConflict},
		{settle.ErrTooEarly, http.StatusConflict},
		{settle.ErrSamePerson, http.StatusConflict},
		{settle.ErrChanged, http.StatusConflict},
		{settle.ErrNotApart, http.StatusConflict},
		{settle.ErrSuperseded, http.StatusConflict},
		{settle.ErrEffective, http.StatusConflict},
	} {
		if errors.Is(err, known.err) {
			return answer{known.status, sentence(known.err.Error())}, true
		}
	}
	return answer{}, false
}

// sentence makes an error's text one for people.
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
