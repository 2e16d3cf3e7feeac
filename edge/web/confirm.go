package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"galla/edge"
	"galla/shared/secret"
)

// ConfirmLife is how long an owner's acts are open after the PIN was typed again.
const ConfirmLife = 5 * time.Minute

// maxPIN bounds what is hashed.
const maxPIN = 12

// CheckPIN says what is wrong with a PIN that an operator typed: *edge.PINError. The
// request says in which browser.
type CheckPIN func(ctx context.Context, r *http.Request, operator string, pin secret.OTP) error

// Confirm opens the owner's acts to the session: the PIN was typed again.
func (ses *Session) Confirm() {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	ses.confirmed = time.Now()
}

// isConfirmed tells whether the owner's acts are open.
func (ses *Session) isConfirmed() bool {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return !ses.confirmed.IsZero() && time.Since(ses.confirmed) < ConfirmLife
}

// confirmPage asks for the PIN once more.
type confirmPage struct {
	Action string
	Kept   [][2]string // fields of the act that go along
	PIN    Field
}

// confirmField is the PIN's, among an act's own fields.
const confirmField = "confirm"

// Confirmed is Owner for what moves who works here, whom the counter believes, what it
// reports and who the shop is to the network: the owner's PIN is typed again first, and
// opens such acts for ConfirmLife. A stolen session alone is not enough. Of a form that is sent before,
// the fields named by keep go along and the act is taken with the PIN; where it has
// others, which no page may repeat, it is filled in once more. Parts of a page that
// is open already are news, and are given.
func (k *Kit) Confirmed(handler Handler, keep ...string) Handler {
	return k.owned(func(w http.ResponseWriter, r *http.Request, ses *Session) {
		switch {
		case ses.isConfirmed(), r.Method != http.MethodPost && Part(r):
			handler(w, r, ses)
		case r.Method == http.MethodPost && r.PostForm.Has(confirmField):
			if why, status := k.checkAgain(r, ses); why != "" {
				k.askAgain(w, r, ses, status, why, keep)
				return
			}
			handler(w, r, ses)
		default:
			k.askAgain(w, r, ses, http.StatusOK, "", keep)
		}
	})
}

// askAgain shows the page of the PIN.
func (k *Kit) askAgain(w http.ResponseWriter, r *http.Request, ses *Session, status int, why string, keep []string) {
	said := ses.Words()
	d := confirmPage{Action: "/confirm?next=" + url.QueryEscape(k.address(r)), PIN: Field{
		Name: confirmField, Kind: PIN, Label: said.Say("confirm.pin"), Max: maxPIN, Focus: true, Missing: said.Say("confirm.missing"), Error: why,
	}}
	if r.Method == http.MethodPost && len(keep) > 0 {
		d.Action = r.URL.Path
		for _, name := range keep {
			for _, value := range r.PostForm[name] {
				d.Kept = append(d.Kept, [2]string{name, value})
			}
		}
	}
	k.Render(w, r, ses, status, Page{Name: "web/confirm", Title: said.Say("confirm.title"), Back: "/", Data: d})
}

// checkAgain takes the PIN of a form; a text says why not.
func (k *Kit) checkAgain(r *http.Request, ses *Session) (why string, status int) {
	said, typed := ses.Words(), r.PostForm.Get(confirmField)
	if typed == "" || len(typed) > maxPIN || k.cfg.CheckPIN == nil {
		return said.Say("confirm.missing"), http.StatusUnprocessableEntity
	}
	err := k.cfg.CheckPIN(r.Context(), r, ses.Operator.ID, secret.NewOTP(typed))
	var refused *edge.PINError
	switch {
	case errors.As(err, &refused) && refused.Wait > 0:
		return said.Say("confirm.wait", "span", said.Span(refused.Wait.Round(time.Second))), http.StatusTooManyRequests
	case errors.As(err, &refused):
		return said.Say("confirm.wrong"), http.StatusUnauthorized
	case err != nil:
		k.log.Error("the PIN can't be checked", "error", err)
		return said.Say("confirm.broken"), http.StatusInternalServerError
	}
	ses.Confirm()
	return "", 0
}

// confirm takes the PIN and leads on.
func (k *Kit) confirm(w http.ResponseWriter, r *http.Request, ses *Session) {
	next := LocalPath(r.URL.Query().Get("next"))
	if why, status := k.checkAgain(r, ses); why != "" {
		said := ses.Words()
		k.Render(w, r, ses, status, Page{Name: "web/confirm", Title: said.Say("confirm.title"), Back: "/", Data: confirmPage{
			Action: "/confirm?next=" + url.QueryEscape(next),
			PIN:    Field{Name: confirmField, Kind: PIN, Label: said.Say("confirm.pin"), Max: maxPIN, Focus: true, Missing: said.Say("confirm.missing"), Error: why},
		}})
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// confirmStart leads away from an address that only answers forms.
func (k *Kit) confirmStart(w http.ResponseWriter, r *http.Request, _ *Session) {
	http.Redirect(w, r, LocalPath(r.URL.Query().Get("next")), http.StatusSeeOther)
}
