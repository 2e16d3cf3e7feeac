package console

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"galla/central/operator"
	"galla/shared/localname"
	"galla/shared/secret"
)

// Bounds of what a browser sends.
const (
	// maxForm bounds a form, in bytes: a reason is the longest field.
	maxForm = 16 << 10
	// workWait bounds the answer to a form or a page, and uploadWait that to a
	// form with a file: a settlement file of a day is read, recorded and compared.
	workWait   = 30 * time.Second
	uploadWait = 5 * time.Minute
)

// visit is a request as pages see it.
type visit struct {
	operator.SignedIn        // zero where nobody is signed in
	CSRF              string // what every form carries
	From              string // the address
}

// guard is what every request passes before any page sees it.
func (c *Console) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				c.log.Error("a page of the console broke", "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				http.Error(w, "This page broke. The log has the reason.", http.StatusInternalServerError)
			}
		}()
		setHeaders(w.Header())
		switch {
		case !local(r) && r.TLS == nil:
			http.Error(w, "The console answers on this machine's loopback address, or over TLS.", http.StatusMisdirectedRequest)
			return
		case !c.named(r):
			http.Error(w, howToOpen, http.StatusMisdirectedRequest)
			return
		case foreign(r):
			c.log.Warn("a request of another site was refused by the console", "method", r.Method, "path", r.URL.Path)
			http.Error(w, "This request came from another site's page. Open the console itself.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// setHeaders sets what every reply carries: styles come from here, scripts from
// nowhere, nothing is kept, nobody frames or embeds a page.
func setHeaders(h http.Header) {
	for _, kv := range [][2]string{
		{"Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"},
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

// howToOpen is told to whoever asks by another name than the installation's own,
// which it does not tell.
const howToOpen = `The console is not served under this name: a browser sends the cookies of
localhost and 127.0.0.1 to every program of this machine.

It has a name of its own here, which ends in .localhost. The program that runs the
sandbox printed the address; on a central's machine this prints it:

    galla-central console
`

// local tells whether a request came over the loopback interface.
func local(r *http.Request) bool { _, ok := loopbackPort(r); return ok }

func loopbackPort(r *http.Request) (port int, ok bool) {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() {
		return 0, false
	}
	return at.Port, true
}

// named tells whether a request names the console as a browser may keep a session
// under: without TLS by the installation's own name and port, and never by a name
// that every program of the machine has. A page of another site whose name was
// pointed at 127.0.0.1 still names itself.
func (c *Console) named(r *http.Request) bool {
	if port, ok := loopbackPort(r); ok && localname.Is(r.Host, c.cfg.LocalName, port) {
		return true
	}
	if r.TLS == nil {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return host != "localhost" && !strings.HasSuffix(host, ".localhost") && !net.ParseIP(host).IsLoopback()
}

// foreign tells whether another site is behind the request. Browsers say so in
// Sec-Fetch-Site; older ones in Origin. Under our referrer policy the Origin of
// a form is "null", which says nothing.
func foreign(r *http.Request) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	own := origin == scheme+"://"+r.Host
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

// serve is the one path of all routes: who is signed in, what the role allows,
// and of forms the token.
func (c *Console) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := workWait
		if rt.upload {
			wait = uploadWait
		}
		ctx, cancel := context.WithTimeout(r.Context(), wait)
		defer cancel()
		r = r.WithContext(ctx)
		v := &visit{From: addressOf(r)}
		in, err := c.People.Session(r.Context(), cookieOf(r), true)
		switch {
		case err == nil:
			v.SignedIn = in
		case !errors.Is(err, operator.ErrNoSession):
			c.failed(w, r, v, err)
			return
		}
		if rt.need != "" && v.Login() == "" {
			c.toSignIn(w, r)
			return
		}
		if err := c.ticket(w, r, v); err != nil {
			c.failed(w, r, v, err)
			return
		}
		if rt.need != "" && !v.Role.May(rt.need) {
			c.refuseRole(w, r, v, rt)
			return
		}
		if r.Method == http.MethodPost && !rt.upload {
			if !c.readForm(w, r, v) || rt.privileged() && !c.proven(w, r, v, r.PostForm, false) {
				return
			}
		}
		rt.do(w, r, v)
	})
}

// Login gives who is signed in; empty: nobody.
func (v *visit) Login() string { return v.Person.Login }

// refuseRole answers whoever may not do this, and writes it into the trail.
func (c *Console) refuseRole(w http.ResponseWriter, r *http.Request, v *visit, rt route) {
	err := c.People.Refuse(r.Context(), v.Actor(), operator.Change{What: "page.open", Subject: rt.pattern, Note: "the role does not allow it"})
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	c.message(w, r, v, http.StatusForbidden, "Your role does not allow this", fmt.Sprintf("You are signed in as %s; this needs the role %s. An admin can give it to you.", v.Role, rt.need))
}

// toSignIn leads whoever is not signed in to the sign-in, and back to a page.
func (c *Console) toSignIn(w http.ResponseWriter, r *http.Request) {
	to := Root + "sign-in"
	if r.Method == http.MethodGet && r.URL.Path != Root {
		to += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// localPath gives a path of the console, or its root, so that 'next' never leads
// away.
func localPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(s, Root) ||
		!strings.HasPrefix(path.Clean(u.Path)+"/", Root) || strings.ContainsAny(s, "\\\r\n") {
		return Root
	}
	return s
}

// readForm reads a form and looks at its token, or answers why not.
func (c *Console) readForm(w http.ResponseWriter, r *http.Request, v *visit) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		c.message(w, r, v, http.StatusUnsupportedMediaType, "This is no form", "The request has another form than the console's pages send.")
		return false
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		c.message(w, r, v, http.StatusBadRequest, "The form can't be read", fmt.Sprintf("A form has at most %d KiB.", maxForm>>10))
		return false
	}
	return c.tokenGood(w, r, v, r.PostForm.Get("csrf"))
}

func (c *Console) tokenGood(w http.ResponseWriter, r *http.Request, v *visit, token string) bool {
	if v.CSRF != "" && hmac.Equal([]byte(token), []byte(v.CSRF)) {
		return true
	}
	c.message(w, r, v, http.StatusForbidden, "This page is out of date", "You were signed out or in since it was opened. Nothing was done: open the page anew.")
	return false
}

// Cookies: the session's, and the ticket that forms carry a token of where
// nobody is signed in. A session's value is never taken from a ticket. The mark
// tells that somebody signed in here before (operator.Desk.Mark).
const (
	markCookie    = "galla_console_browser"
	sessionCookie = "galla_console"
	ticketCookie  = "galla_console_ticket"
	ticketBytes   = 32
)

// cookieName gives a cookie's name: browsers send cookies to every port of a
// host, so that the port is part of it; over TLS the prefix keeps other hosts of
// the domain from setting it.
func cookieName(r *http.Request, name string) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "443"
	}
	if r.TLS != nil {
		return "__Host-" + name + "_" + port
	}
	return name + "_" + port
}

func cookieValue(r *http.Request, name string) string {
	k, err := r.Cookie(cookieName(r, name))
	if err != nil || len(k.Value) != base64.RawURLEncoding.EncodedLen(ticketBytes) {
		return ""
	}
	return k.Value
}

func cookieOf(r *http.Request) secret.Token { return secret.NewToken(cookieValue(r, sessionCookie)) }

// markOf is the browser's mark; empty: it has none.
func markOf(r *http.Request) secret.Token {
	k, err := r.Cookie(cookieName(r, markCookie))
	if err != nil {
		return secret.Token{}
	}
	return secret.NewToken(k.Value)
}

func setCookie(w http.ResponseWriter, r *http.Request, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r, name), Value: value, Path: "/", Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: age,
	})
}

// ticket gives the visit the token of its forms: of the session, or where
// nobody is signed in of a cookie that is worth nothing else.
func (c *Console) ticket(w http.ResponseWriter, r *http.Request, v *visit) error {
	if v.Login() != "" {
		v.CSRF = tokenOf("session", v.Token.Reveal())
		return nil
	}
	id := cookieValue(r, ticketCookie)
	if id == "" {
		if r.Method != http.MethodGet {
			return nil // a form without its page
		}
		raw := make([]byte, ticketBytes)
		if _, err := io.ReadFull(c.cfg.Rand, raw); err != nil {
			return fmt.Errorf("draw a ticket: %w", err)
		}
		id = base64.RawURLEncoding.EncodeToString(raw)
		setCookie(w, r, ticketCookie, id, 0)
	}
	v.CSRF = tokenOf("ticket", id)
	return nil
}

// tokenOf is a keyed fingerprint of a cookie's value, which the cookie keys
// itself: who can't read the cookie can't make it.
func tokenOf(use, value string) string {
	m := hmac.New(sha256.New, []byte(value))
	m.Write([]byte("galla/console/form/v1\n" + use))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// enter gives the browser a session.
func enter(w http.ResponseWriter, r *http.Request, in operator.SignedIn) {
	setCookie(w, r, sessionCookie, in.Token.Reveal(), 0)
	setCookie(w, r, ticketCookie, "", -1)
}

// addressOf is where a request came from.
func addressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
