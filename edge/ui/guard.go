package ui

import (
	"errors"
	"net/http"
	"net/url"
	"path"

	"galla/edge"
	"galla/shared/localname"
	"galla/shared/webguard"
)

// maxBody bounds a form, in bytes; the largest has six short fields.
const maxBody = 16 << 10

// policy is the Content-Security-Policy: scripts, styles and sounds only from this origin.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"media-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// guard checks every request before a page sees it.
func (k *Kit) guard(next http.Handler) http.Handler {
	refuse := func(status int, key string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Error(w, k.WordsOf(r).Text(key), status) }
	}
	return webguard.Guard{
		Policy: policy, Camera: true, MaxBody: maxBody, Log: k.log,
		Host: func(w http.ResponseWriter, r *http.Request) bool {
			if k.isOwnHost(r) {
				return true
			}
			k.wrongHost(w, r)
			return false
		},
		CrossSite: refuse(http.StatusForbidden, "error.origin"), Failed: refuse(http.StatusInternalServerError, "error.broken"),
	}.Wrap(next)
}

// isOwnHost reports whether the request came over the loopback address under the
// installation's own host name. Cookies do not depend on ports, so those of 127.0.0.1 or
// localhost would go to every local program; and a DNS rebinding attack sends another host
// name.
func (k *Kit) isOwnHost(r *http.Request) bool {
	port, ok := webguard.LoopbackPort(r)
	return ok && localname.Matches(r.Host, k.cfg.Name, port)
}

// IsPartial reports whether the script asks for the page's parts only.
func IsPartial(r *http.Request) bool { return r.URL.Query().Get("part") == "main" }

// Get wraps a page that needs a session.
func (k *Kit) Get(page Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		touch := !IsPartial(r) && r.URL.Query().Get("auto") == "" // automatic refreshes do not count as activity
		if ses := k.sessions.find(sessionCookieOf(r), touch); ses != nil {
			page(w, r, ses)
			return
		}
		k.redirectToUnlock(w, r, withoutTransient(r.URL))
	}
}

// Post wraps a form's handler. It needs a session and its token, and has parsed the form
// into r.PostForm.
func (k *Kit) Post(step Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !k.ReadForm(w, r) {
			return
		}
		ses := k.sessions.find(sessionCookieOf(r), true)
		switch {
		case ses == nil:
			k.redirectToUnlock(w, r, k.parentPage(r.URL.Path))
		case !k.ValidToken(r):
			k.Message(w, r, ses, http.StatusForbidden, "error.token")
		default:
			step(w, r, ses)
		}
	}
}

// requireOwner checks that the session is an owner's.
func (k *Kit) requireOwner(handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request, ses *Session) {
		if ses.Operator.Role != edge.RoleOwner {
			k.Message(w, r, ses, http.StatusForbidden, "error.owner")
			return
		}
		handler(w, r, ses)
	}
}

// ValidToken reports whether a parsed form carries the token of the browser's cookie. Post
// checks it; pages without a session check it themselves.
func (k *Kit) ValidToken(r *http.Request) bool {
	return k.sessions.validToken(sessionCookieOf(r), r.PostForm.Get("csrf"))
}

// ReadForm parses a form, or answers with an error and returns false.
func (k *Kit) ReadForm(w http.ResponseWriter, r *http.Request) bool {
	err := webguard.ParseForm(w, r, maxBody)
	if err == nil {
		return true
	}
	status := http.StatusBadRequest
	if errors.Is(err, webguard.ErrMediaType) {
		status = http.StatusUnsupportedMediaType
	} else if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		status = http.StatusRequestEntityTooLarge
	}
	http.Error(w, k.WordsOf(r).Text("error.form"), status)
	return false
}

// redirectToUnlock redirects to the unlock page, which leads back to next. A script gets
// status 401 instead.
func (k *Kit) redirectToUnlock(w http.ResponseWriter, r *http.Request, next string) {
	if IsPartial(r) || r.URL.Path == "/keep-alive" {
		http.Error(w, k.WordsOf(r).Text("unlock.locked"), http.StatusUnauthorized)
		return
	}
	to := "/unlock"
	if next != "/" {
		to += "?next=" + url.QueryEscape(next)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// withoutTransient returns the address without the parameters of refreshes.
func withoutTransient(u *url.URL) string {
	q := u.Query()
	q.Del("auto")
	q.Del("part")
	q.Del("hidden")
	if len(q) == 0 {
		return u.Path
	}
	return u.Path + "?" + q.Encode()
}

// parentPage returns the page of a form: the nearest path above the form's that is a page.
func (k *Kit) parentPage(at string) string {
	for p := at; p != "/" && p != "."; p = path.Dir(p) {
		probe := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: p}}
		if _, pattern := k.mux.Handler(probe); pattern != "" && pattern != notFoundPattern {
			return p
		}
	}
	return "/"
}

// LocalPath returns s if it is a path of this server, or "/".
func LocalPath(s string) string { return webguard.LocalPath(s, "/") }
