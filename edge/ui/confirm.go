package ui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"galla/edge"
	"galla/shared/secret"
)

// ConfirmationTTL is how long a confirmation by PIN lasts.
const ConfirmationTTL = 5 * time.Minute

// maxPIN bounds the input of the slow hash.
const maxPIN = 12

// CheckPIN checks a user's PIN in the request's browser. Error: *edge.PINError.
type CheckPIN func(ctx context.Context, r *http.Request, operator string, pin secret.OTP) error

// MarkConfirmed records that the owner typed the PIN again.
func (ses *Session) MarkConfirmed() {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	ses.confirmed = time.Now()
}

func (ses *Session) isConfirmed() bool {
	ses.mu.Lock()
	defer ses.mu.Unlock()
	return !ses.confirmed.IsZero() && time.Since(ses.confirmed) < ConfirmationTTL
}

type confirmData struct {
	Action string
	Kept   [][2]string // fields of the submitted form that are sent again
	PIN    Field
}

const confirmField = "confirm"

// OwnerConfirmed wraps a page that changes users, readers, reports or the shop's identity
// at the network. It asks the owner for the PIN again, and the confirmation lasts for
// ConfirmationTTL: a stolen session alone is not enough. The fields named by keep are sent
// again together with the PIN; other fields must be filled in again, because no page may
// repeat them. Partial refreshes of an open page need no confirmation.
func (k *Kit) OwnerConfirmed(handler Handler, keep ...string) Handler {
	return k.requireOwner(func(w http.ResponseWriter, r *http.Request, ses *Session) {
		switch {
		case ses.isConfirmed(), r.Method != http.MethodPost && IsPartial(r):
			handler(w, r, ses)
		case r.Method == http.MethodPost && r.PostForm.Has(confirmField):
			if why, status := k.checkPIN(r, ses); why != "" {
				k.renderPINForm(w, r, ses, status, why, keep)
				return
			}
			handler(w, r, ses)
		default:
			k.renderPINForm(w, r, ses, http.StatusOK, "", keep)
		}
	})
}

func (k *Kit) renderPINForm(w http.ResponseWriter, r *http.Request, ses *Session, status int, why string, keep []string) {
	d := confirmData{Action: "/confirm?next=" + url.QueryEscape(k.pageAddress(r))}
	if r.Method == http.MethodPost && len(keep) > 0 {
		d.Action = r.URL.Path
		for _, name := range keep {
			for _, value := range r.PostForm[name] {
				d.Kept = append(d.Kept, [2]string{name, value})
			}
		}
	}
	k.renderConfirm(w, r, ses, status, why, d)
}

func (k *Kit) renderConfirm(w http.ResponseWriter, r *http.Request, ses *Session, status int, why string, d confirmData) {
	words := ses.Words()
	d.PIN = Field{Name: confirmField, Kind: PIN, Label: words.Text("confirm.pin"), Max: maxPIN, Focus: true, Missing: words.Text("confirm.missing"), Error: why}
	k.Render(w, r, ses, status, Page{Name: "ui/confirm", Title: words.Text("confirm.title"), Back: "/", Data: d})
}

// checkPIN checks the PIN of a form; why is empty if it is right.
func (k *Kit) checkPIN(r *http.Request, ses *Session) (why string, status int) {
	words, typed := ses.Words(), r.PostForm.Get(confirmField)
	if typed == "" || len(typed) > maxPIN || k.cfg.CheckPIN == nil {
		return words.Text("confirm.missing"), http.StatusUnprocessableEntity
	}
	err := k.cfg.CheckPIN(r.Context(), r, ses.Operator.ID, secret.NewOTP(typed))
	var refused *edge.PINError
	switch {
	case errors.As(err, &refused) && refused.Wait > 0:
		return words.Text("confirm.wait", "span", words.Duration(refused.Wait.Round(time.Second))), http.StatusTooManyRequests
	case errors.As(err, &refused):
		return words.Text("confirm.wrong"), http.StatusUnauthorized
	case err != nil:
		k.log.Error("the PIN can't be checked", "error", err)
		return words.Text("confirm.broken"), http.StatusInternalServerError
	}
	ses.MarkConfirmed()
	return "", 0
}

func (k *Kit) confirmPIN(w http.ResponseWriter, r *http.Request, ses *Session) {
	next := LocalPath(r.URL.Query().Get("next"))
	if why, status := k.checkPIN(r, ses); why != "" {
		k.renderConfirm(w, r, ses, status, why, confirmData{Action: "/confirm?next=" + url.QueryEscape(next)})
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// redirectFromConfirm answers GET on an address that only takes forms.
func (k *Kit) redirectFromConfirm(w http.ResponseWriter, r *http.Request, _ *Session) {
	http.Redirect(w, r, LocalPath(r.URL.Query().Get("next")), http.StatusSeeOther)
}
