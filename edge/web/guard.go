package web

import (
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strings"

	"galla/edge"
	"galla/shared/localname"
)

// maxBody bounds a form, in bytes; the largest has six short fields.
const maxBody = 16 << 10

// guard is what every request passes before any page sees it.
func (k *Kit) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				k.log.Error("a page broke", "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				http.Error(w, k.WordsOf(r).Say("error.broken"), http.StatusInternalServerError)
			}
		}()
		setHeaders(w.Header())
		switch {
		case !k.ownHost(r):
			k.elsewhere(w, r)
			return
		case foreign(r):
			k.log.Warn("a request of another site was refused", "method", r.Method, "path", r.URL.Path)
			http.Error(w, k.WordsOf(r).Say("error.origin"), http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// setHeaders sets what every reply carries. Scripts and styles come from here
// or not at all, nothing is kept, nobody frames or embeds a page.
func setHeaders(h http.Header) {
	for _, kv := range [][2]string{
		{"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
			"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cross-Origin-Embedder-Policy", "require-corp"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()"},
		{"Cache-Control", "no-store"},
	} {
		h.Set(kv[0], kv[1])
	}
}

// ownHost tells whether the request came over the loopback address and names the
// counter as nothing else on this computer is named: by the installation's own
// name. Cookies know no ports, so under 127.0.0.1 or localhost they would go to
// every program that listens there; and a page of another site whose name was
// pointed at 127.0.0.1 (DNS rebinding) still names itself.
func (k *Kit) ownHost(r *http.Request) bool {
	port, ok := loopbackPort(r)
	return ok && localname.Is(r.Host, k.cfg.Name, port)
}

// loopbackPort gives the port of a request that came over the loopback address.
func loopbackPort(r *http.Request) (int, bool) {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !loopback(local) {
		return 0, false
	}
	return local.(*net.TCPAddr).Port, true
}

// foreign tells whether another site is behind the request. Pages may be
// opened from anywhere; everything that acts or streams, and every request
// that a page makes by itself, must come from here. Browsers say so in
// Sec-Fetch-Site; older ones in Origin. Under our referrer policy the Origin of
// a form is "null", which says nothing.
func foreign(r *http.Request) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	own := origin == "http://"+r.Host
	if origin != "" && origin != "null" && !own {
		return true
	}
	if site != "" && site != "same-origin" && site != "none" {
		opened := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate"
		return !opened
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return false
	}
	return site != "same-origin" && !own
}

// Part tells whether the script asks for a page's parts only.
func Part(r *http.Request) bool { return r.URL.Query().Get("part") == "main" }

// Get wraps a page that needs an unlocked screen.
func (k *Kit) Get(page Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// What refreshes by itself is no touch of the agent.
		k.page(w, r, page, !Part(r) && r.URL.Query().Get("auto") == "")
	}
}

// Glance is Get for pages that nobody touches, such as a second screen: looking
// at them does not keep the counter unlocked.
func (k *Kit) Glance(page Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { k.page(w, r, page, false) }
}

func (k *Kit) page(w http.ResponseWriter, r *http.Request, page Handler, touch bool) {
	if ses := k.sessions.find(cookieOf(r), touch); ses != nil {
		page(w, r, ses)
		return
	}
	k.toUnlock(w, r, here(r.URL))
}

// Post wraps a step that needs an unlocked screen and the session's token; the
// form is read already, into r.PostForm.
func (k *Kit) Post(step Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !k.ReadForm(w, r) {
			return
		}
		ses := k.sessions.find(cookieOf(r), true)
		switch {
		case ses == nil:
			k.toUnlock(w, r, k.pageOf(r.URL.Path))
		case !k.TokenGood(r):
			k.Message(w, r, ses, http.StatusForbidden, "error.token")
		default:
			step(w, r, ses)
		}
	}
}

// Owner wraps a page that only an owner may see. A form of an owner's is an act, and
// wants the PIN once more (Confirmed): there is no way to wrap one without it.
func (k *Kit) Owner(page Handler) Handler {
	act := k.Confirmed(page)
	return k.owned(func(w http.ResponseWriter, r *http.Request, ses *Session) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			page(w, r, ses)
			return
		}
		act(w, r, ses)
	})
}

// owned asks for an owner's session, and no more.
func (k *Kit) owned(handler Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request, ses *Session) {
		if ses.Operator.Role != edge.RoleOwner {
			k.Message(w, r, ses, http.StatusForbidden, "error.owner")
			return
		}
		handler(w, r, ses)
	}
}

// TokenGood tells whether a form that was read carries the token of the
// browser's cookie. Post has asked it; pages without a session ask it
// themselves.
func (k *Kit) TokenGood(r *http.Request) bool {
	return k.sessions.tokenOf(cookieOf(r), r.PostForm.Get("csrf"))
}

// ReadForm parses a form, or answers why it can't.
func (k *Kit) ReadForm(w http.ResponseWriter, r *http.Request) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		http.Error(w, k.WordsOf(r).Say("error.form"), http.StatusUnsupportedMediaType)
		return false
	}
	if err := r.ParseForm(); err != nil {
		status := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, k.WordsOf(r).Say("error.form"), status)
		return false
	}
	return true
}

// toUnlock leads to the PIN and back to next; a script is told by a status.
func (k *Kit) toUnlock(w http.ResponseWriter, r *http.Request, next string) {
	if Part(r) || r.URL.Path == "/awake" {
		http.Error(w, k.WordsOf(r).Say("unlock.locked"), http.StatusUnauthorized)
		return
	}
	to := "/unlock"
	if next != "/" {
		to += "?next=" + url.QueryEscape(next)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// here is the address of a page without what is of the moment.
func here(u *url.URL) string {
	q := u.Query()
	q.Del("auto")
	q.Del("part")
	if len(q) == 0 {
		return u.Path
	}
	return u.Path + "?" + q.Encode()
}

// pageOf is the page that a form was on: the nearest path above a step's that
// is a page.
func (k *Kit) pageOf(at string) string {
	for p := at; p != "/" && p != "."; p = path.Dir(p) {
		probe := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: p}}
		if _, pattern := k.mux.Handler(probe); pattern != "" && pattern != nowherePattern {
			return p
		}
	}
	return "/"
}

// LocalPath gives a path of this server, or "/" for anything else, so that
// 'next' never leads away.
func LocalPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(s, "/") ||
		strings.HasPrefix(s, "//") || strings.ContainsAny(s, "\\\r\n") {
		return "/"
	}
	return s
}
