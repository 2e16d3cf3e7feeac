package webguard

import (
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strings"
)

// Guard checks every request before a page sees it. Every field but Camera and MaxBody is
// needed.
type Guard struct {
	// Policy is the Content-Security-Policy of all replies.
	Policy string
	// Camera allows the pages to ask for the camera.
	Camera bool
	// MaxBody limits a request's body, in bytes; 0: the handlers do.
	MaxBody int64
	Log     *slog.Logger
	// Host reports whether a request uses a host name of this server. Otherwise it has
	// answered the request.
	Host func(http.ResponseWriter, *http.Request) bool
	// CrossSite answers a request that another site caused.
	CrossSite http.HandlerFunc
	// Failed answers a request whose page panicked.
	Failed http.HandlerFunc
}

// Wrap returns the handler with the checks in front of it.
func (g Guard) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				g.Log.Error("a page panicked", "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				g.Failed(w, r)
			}
		}()
		setHeaders(w.Header(), g.Policy, g.Camera)
		if !g.Host(w, r) {
			return
		}
		if IsCrossSite(r) {
			g.Log.Warn("a request from another site was refused", "method", r.Method, "path", r.URL.Path)
			g.CrossSite(w, r)
			return
		}
		if g.MaxBody > 0 {
			r.Body = http.MaxBytesReader(w, r.Body, g.MaxBody)
		}
		next.ServeHTTP(w, r)
	})
}

// setHeaders sets the security headers of a reply: no framing, no caching.
func setHeaders(h http.Header, policy string, camera bool) {
	camerasOf := "camera=()"
	if camera {
		camerasOf = "camera=(self)"
	}
	for _, kv := range [][2]string{
		{"Content-Security-Policy", policy},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cross-Origin-Embedder-Policy", "require-corp"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Permissions-Policy", camerasOf + ", microphone=(), geolocation=(), payment=(), usb=(), serial=()"},
		{"Cache-Control", "no-store"},
	} {
		h.Set(kv[0], kv[1])
	}
}

// LoopbackPort returns the port of a request that came over the loopback interface.
func LoopbackPort(r *http.Request) (port int, ok bool) {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !at.IP.IsLoopback() {
		return 0, false
	}
	return at.Port, true
}

// IsCrossSite reports whether another site caused a request. Any site may link to a page;
// every other request must have this origin. Browsers report it in Sec-Fetch-Site, older
// ones in Origin. With our referrer policy the Origin of a form may be "null", which says
// nothing.
func IsCrossSite(r *http.Request) bool {
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
		link := r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate"
		return !link
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return false
	}
	return site != "same-origin" && !own
}

// LocalPath returns s if it is a path of this server below root, or root, so that 'next'
// never leads to another site. root begins and ends with a slash.
func LocalPath(s, root string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(s, root) ||
		strings.HasPrefix(s, "//") || !strings.HasPrefix(path.Clean(u.Path)+"/", root) || strings.ContainsAny(s, "\\\r\n") {
		return root
	}
	return s
}

// ErrMediaType says that a request has no form.
var ErrMediaType = errors.New("the request is no form")

// ParseForm parses a form of at most max bytes into r.PostForm. Errors are ErrMediaType,
// *http.MaxBytesError and those of ParseForm.
func ParseForm(w http.ResponseWriter, r *http.Request, max int64) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return ErrMediaType
	}
	r.Body = http.MaxBytesReader(w, r.Body, max)
	return r.ParseForm()
}

// CookieName returns a cookie's name with the port of the request: browsers send cookies
// to every port of a host, so two servers on one machine would share them. Over TLS the
// prefix keeps other hosts of the domain from setting the cookie.
func CookieName(r *http.Request, name string) string {
	port, prefix := "80", ""
	if r.TLS != nil {
		port, prefix = "443", "__Host-"
	}
	if _, given, err := net.SplitHostPort(r.Host); err == nil {
		port = given
	}
	return prefix + name + "_" + port
}
