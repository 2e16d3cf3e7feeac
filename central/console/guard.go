package console

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"galla/central/staff"
	"galla/shared/localname"
	"galla/shared/secret"
	"galla/shared/webguard"
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

// policy is the Content-Security-Policy: everything only from this origin, and no scripts
// where the site has none.
func (s site) policy() string {
	const base = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	if s.script == "" {
		return base
	}
	return base + "; script-src 'self'; connect-src 'self'"
}

// guard checks every request before a page sees it.
func (c *Console) guard(next http.Handler) http.Handler {
	refuse := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, text, status) }
	}
	return webguard.Guard{
		Policy: c.policy(), Log: c.log,
		Host: func(w http.ResponseWriter, r *http.Request) bool {
			_, loopback := webguard.LoopbackPort(r)
			switch {
			case !loopback && r.TLS == nil:
				http.Error(w, "These pages are served on this machine's loopback address, or over TLS.", http.StatusMisdirectedRequest)
			case !c.allowedHost(r):
				http.Error(w, wrongHostText, http.StatusMisdirectedRequest)
			default:
				return true
			}
			return false
		},
		CrossSite: refuse(http.StatusForbidden, "This request came from another site's page. Open these pages themselves."),
		Failed:    refuse(http.StatusInternalServerError, "This page failed. The log has the reason."),
	}.Wrap(next)
}

// wrongHostText answers requests under another name than the installation's own, which
// it does not disclose.
const wrongHostText = `These pages are not served under this name: a browser sends the cookies of
localhost and 127.0.0.1 to every program of this machine.

They have a name of their own here, which ends in .localhost. The program that runs the
sandbox printed the address; on a central's machine this prints that of the console:

    galla-central console
`

// allowedHost reports whether a request uses the console's own name: without TLS the
// installation's name and port, with TLS any but localhost, whose cookies every
// program of the machine receives. A page of another site whose name was pointed at
// 127.0.0.1 still sends its own name.
func (c *Console) allowedHost(r *http.Request) bool {
	if port, ok := webguard.LoopbackPort(r); ok && localname.Matches(r.Host, c.cfg.LocalName, port) {
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

// serve wraps all routes: it checks the session, the role, and the token of forms.
func (c *Console) serve(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := workWait
		if rt.upload {
			wait = uploadWait
		}
		ctx, cancel := context.WithTimeout(r.Context(), wait)
		defer cancel()
		v := &visit{From: c.origin(r), c: c, w: w, r: r.WithContext(ctx)}
		if err := v.serve(rt); err != nil {
			v.fail(err)
		}
	})
}

func (v *visit) serve(rt route) error {
	in, err := v.c.Staff.Session(v.Context(), v.c.sessionToken(v.r), v.r.Header.Get(liveHeader) == "")
	switch {
	case err == nil:
		v.SignedIn = in
	case !errors.Is(err, staff.ErrNoSession):
		return err
	}
	if !rt.public && v.Login() == "" {
		return v.redirectToSignIn()
	}
	if err := v.ensureFormToken(); err != nil {
		return err
	}
	if !rt.public && !v.Role.May(rt.minRole) {
		return v.refuseRole(rt)
	}
	if !rt.public && v.c.admit != nil {
		if err := v.c.admit(v); err != nil {
			return err
		}
	}
	if v.r.Method == http.MethodPost && !rt.upload {
		if !v.readForm() || rt.needsStepUp() && !v.requireStepUp(v.r.PostForm, false) {
			return nil
		}
	}
	return rt.handle(v)
}

// refuseRole answers a person whose role does not allow this, and logs it.
func (v *visit) refuseRole(rt route) error {
	err := v.c.Staff.RecordRefusal(v.Context(), v.Actor(), staff.Change{What: "page.open", Subject: rt.pattern, Note: "the role does not allow it"})
	if err != nil {
		return err
	}
	needed := staff.Member{Vendor: v.Vendor, Role: rt.minRole}
	return v.message(http.StatusForbidden, "Your role does not allow this", fmt.Sprintf("You are signed in as %s; this needs the role %s. Whoever has that role can give it to you.", v.RoleName(), needed.RoleName()))
}

// redirectToSignIn leads to the sign-in, and from there back to the page.
func (v *visit) redirectToSignIn() error {
	to := v.c.root + "sign-in"
	if v.r.Method == http.MethodGet && v.r.URL.Path != v.c.root {
		to += "?next=" + url.QueryEscape(v.r.URL.RequestURI())
	}
	return v.redirect(to, "")
}

// readForm reads a form and checks its token, or answers why not.
func (v *visit) readForm() bool {
	switch err := webguard.ParseForm(v.w, v.r, maxForm); {
	case errors.Is(err, webguard.ErrMediaType):
		_ = v.message(http.StatusUnsupportedMediaType, "This is not a form", "The request is not a form of the console's pages.")
		return false
	case err != nil:
		_ = v.message(http.StatusBadRequest, "The form can't be read", fmt.Sprintf("A form has at most %d KiB.", maxForm>>10))
		return false
	}
	return v.checkFormToken(v.r.PostForm.Get("csrf"))
}

func (v *visit) checkFormToken(token string) bool {
	if v.CSRF != "" && hmac.Equal([]byte(token), []byte(v.CSRF)) {
		return true
	}
	_ = v.message(http.StatusForbidden, "This page is out of date", "You were signed out or in since it was opened. Nothing was done: open the page again.")
	return false
}

// Ends of the cookies' names, which begin as site.cookie: of the session, of the form tokens of those who are not signed in, and of
// the browser in which somebody signed in before (staff.Service.NewBrowserToken).
const (
	browserCookie   = "_browser"
	sessionCookie   = ""
	anonymousCookie = "_form"
	cookieBytes     = 32
)

func (c *Console) cookieValue(r *http.Request, name string) string {
	k, err := r.Cookie(webguard.CookieName(r, c.cookie+name))
	if err != nil || len(k.Value) != base64.RawURLEncoding.EncodedLen(cookieBytes) {
		return ""
	}
	return k.Value
}

func (c *Console) sessionToken(r *http.Request) secret.Token {
	return secret.NewToken(c.cookieValue(r, sessionCookie))
}

// browserToken is the browser's token; zero: it has none.
func (c *Console) browserToken(r *http.Request) secret.Token {
	k, err := r.Cookie(webguard.CookieName(r, c.cookie+browserCookie))
	if err != nil {
		return secret.Token{}
	}
	return secret.NewToken(k.Value)
}

func (v *visit) setCookie(name, value string, age int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: webguard.CookieName(v.r, v.c.cookie+name), Value: value, Path: v.c.cookiePath(v.r), Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: age,
	})
}

// ensureFormToken sets the visit's form token: of the session, or without one of a
// cookie that grants nothing else.
func (v *visit) ensureFormToken() error {
	if v.Login() != "" {
		v.CSRF = formToken("session", v.Token.Reveal())
		return nil
	}
	id := v.c.cookieValue(v.r, anonymousCookie)
	if id == "" {
		if v.r.Method != http.MethodGet {
			return nil // a form without its page
		}
		raw := make([]byte, cookieBytes)
		if _, err := io.ReadFull(v.c.cfg.Rand, raw); err != nil {
			return fmt.Errorf("draw a form cookie: %w", err)
		}
		id = base64.RawURLEncoding.EncodeToString(raw)
		v.setCookie(anonymousCookie, id, 0)
	}
	v.CSRF = formToken("anonymous", id)
	return nil
}

// formToken is a hash of a cookie's value, keyed with that value: only who can read
// the cookie can make it.
func formToken(use, value string) string {
	m := hmac.New(sha256.New, []byte(value))
	m.Write([]byte("galla/console/form/v1\n" + use))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// setSession gives the browser a session.
func (v *visit) setSession(in staff.SignedIn) {
	v.setCookie(sessionCookie, in.Token.Reveal(), 0)
	v.setCookie(anonymousCookie, "", -1)
}

// origin is from where somebody acts, for the audit log.
func (c *Console) origin(r *http.Request) string {
	if c.root == Root {
		return remoteAddress(r)
	}
	return staff.PortalOrigin(remoteAddress(r))
}

// remoteAddress is the address of who asks.
func remoteAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
