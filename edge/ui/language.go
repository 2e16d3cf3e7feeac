package ui

import (
	"net/http"

	"galla/edge/i18n"
)

// languageCookie holds the language that was last chosen in this browser, for the unlock
// page.
const languageCookie = "galla_language"

// languageCookieDays is how long a browser remembers the language.
const languageCookieDays = 400

// WordsOf returns the texts for a request that may have no session, in the language of the
// session, else of the browser's cookie, else of the browser's settings, else English.
func (k *Kit) WordsOf(r *http.Request) *i18n.Localizer {
	if ses := k.sessions.find(sessionCookieOf(r), false); ses != nil {
		return ses.Words()
	}
	if c, err := r.Cookie(languageCookie); err == nil && i18n.IsSupported(c.Value) {
		return k.book.Localizer(c.Value)
	}
	return k.book.Match(r.Header.Get("Accept-Language"))
}

// In returns the texts of a language, or English where there are none.
func (k *Kit) In(code string) *i18n.Localizer { return k.book.Localizer(code) }

// chooseLanguage sets the language of the session and the browser, and returns to the
// page.
func (k *Kit) chooseLanguage(w http.ResponseWriter, r *http.Request) {
	if !k.ReadForm(w, r) {
		return
	}
	code, ses := r.PostForm.Get("language"), k.sessions.find(sessionCookieOf(r), true)
	switch {
	case !k.ValidToken(r):
		k.Message(w, r, ses, http.StatusForbidden, "error.token")
		return
	case !i18n.IsSupported(code):
		http.Error(w, k.WordsOf(r).Text("error.language"), http.StatusUnprocessableEntity)
		return
	}
	setLanguage(w, code)
	if ses != nil {
		ses.setWords(k.book.Localizer(code))
		if k.cfg.SaveLanguage != nil {
			if err := k.cfg.SaveLanguage(r.Context(), ses.Operator.ID, code); err != nil {
				k.log.Error("the language of a user can't be stored; it lasts for the session", "error", err)
			}
		}
	}
	http.Redirect(w, r, LocalPath(r.PostForm.Get("here")), http.StatusSeeOther)
}

func setLanguage(w http.ResponseWriter, code string) {
	http.SetCookie(w, &http.Cookie{
		Name: languageCookie, Value: code, Path: "/", MaxAge: languageCookieDays * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
