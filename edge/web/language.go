package web

import (
	"net/http"

	"galla/edge/words"
)

// languageCookie holds the language that was chosen last in this browser; it is
// what the unlock page speaks.
const languageCookie = "galla_language"

// languageDays is how long a browser remembers the language.
const languageDays = 400

// WordsOf gives the words of a request that may have no session: those of the
// session, else of the language chosen last in this browser, else of the
// browser's own, else English.
func (k *Kit) WordsOf(r *http.Request) *words.Words {
	if ses := k.sessions.find(cookieOf(r), false); ses != nil {
		return ses.Words()
	}
	if c, err := r.Cookie(languageCookie); err == nil && words.Known(c.Value) {
		return k.book.In(c.Value)
	}
	return k.book.Match(r.Header.Get("Accept-Language"))
}

// In gives the words of a language, or English where it is not spoken here.
func (k *Kit) In(code string) *words.Words { return k.book.In(code) }

// chooseLanguage sets the language of the session and the browser, and leads
// back to the page.
func (k *Kit) chooseLanguage(w http.ResponseWriter, r *http.Request) {
	if !k.ReadForm(w, r) {
		return
	}
	code, ses := r.PostForm.Get("language"), k.sessions.find(cookieOf(r), true)
	switch {
	case !k.TokenGood(r):
		k.Message(w, r, ses, http.StatusForbidden, "error.token")
		return
	case !words.Known(code):
		http.Error(w, k.WordsOf(r).Say("error.language"), http.StatusUnprocessableEntity)
		return
	}
	setLanguage(w, code)
	if ses != nil {
		ses.setWords(k.book.In(code))
		if k.cfg.KeepLanguage != nil {
			if err := k.cfg.KeepLanguage(r.Context(), ses.Operator.ID, code); err != nil {
				k.log.Error("the language of an operator can't be kept; it lasts for the session", "error", err)
			}
		}
	}
	http.Redirect(w, r, LocalPath(r.PostForm.Get("here")), http.StatusSeeOther)
}

func setLanguage(w http.ResponseWriter, code string) {
	http.SetCookie(w, &http.Cookie{
		Name: languageCookie, Value: code, Path: "/", MaxAge: languageDays * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
