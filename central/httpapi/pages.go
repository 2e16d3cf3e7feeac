package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Page is a fixed page for everybody, such as the description of the interface.
type Page struct {
	ContentType string
	Body        []byte
	// Style is the text of the page's style element, which its
	// Content-Security-Policy allows; empty: there is none. Beside what follows the
	// policy allows nothing else: no script, no image, nothing from elsewhere.
	Style string
	// Scripts lets the page load scripts of this server, and call it.
	Scripts bool
	// Connect are origins that such a page may call as well.
	Connect []string
}

// pageAge is how long a page may be cached without asking: it changes only with the
// program.
const pageAge = 5 * time.Minute

// addPages serves the configured pages at their paths.
func (s *Server) addPages() error {
	for _, path := range slices.Sorted(maps.Keys(s.cfg.Pages)) {
		page := s.cfg.Pages[path]
		if !plainPath(path) || page.ContentType == "" {
			return fmt.Errorf("page %q: a plain path that begins with / and a content type are needed", path)
		}
		if slices.ContainsFunc(page.Connect, func(origin string) bool { return !plainOrigin(origin) }) {
			return fmt.Errorf("page %s: %q must be origins, such as http://127.0.0.1:7300", path, page.Connect)
		}
		if s.isRouted(path) {
			return fmt.Errorf("page %s: the path is that of a route", path)
		}
		s.addRoute(fiber.MethodGet, path, s.pageHandler(page))
	}
	for _, path := range slices.Sorted(maps.Keys(s.cfg.Redirects)) {
		to := s.cfg.Redirects[path]
		if !plainPath(path) || !plainPath(to) || s.isRouted(path) {
			return fmt.Errorf("redirect of %q to %q: two plain paths that begin with / are needed, the first of them free", path, to)
		}
		s.addRoute(fiber.MethodGet, path, s.redirectHandler(to))
	}
	return nil
}

func plainPath(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.ContainsAny(path, ":*+?")
}

// plainOrigin reports whether a text is an origin, which adds no other word to a policy.
func plainOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && text == u.Scheme+"://"+u.Host && !strings.ContainsAny(text, " ;,'")
}

// isRouted reports whether a path is served already.
func (s *Server) isRouted(path string) bool {
	return slices.ContainsFunc(s.app.GetRoutes(), func(r fiber.Route) bool { return r.Path == path })
}

// redirectHandler redirects to another path of this server.
func (s *Server) redirectHandler(to string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		fctx := c.Context()
		if err := s.allowNetwork(s.baseCtx, fctx); err != nil {
			return err
		}
		fctx.Response.Header.Set(fiber.HeaderLocation, to)
		fctx.SetStatusCode(fiber.StatusFound)
		return nil
	}
}

// heads returns the headers of a page's answer.
func (p Page) heads() map[string]string {
	sum := sha256.Sum256(p.Body)
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if p.Style != "" {
		style := sha256.Sum256([]byte(p.Style))
		policy += "; style-src 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) + "'"
	}
	if p.Scripts {
		policy += "; script-src 'self'; connect-src " + strings.Join(append([]string{"'self'"}, p.Connect...), " ")
	}
	return map[string]string{
		fiber.HeaderETag: `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`, fiber.HeaderContentSecurityPolicy: policy,
		headerCache: fmt.Sprintf("public, max-age=%d", int(pageAge.Seconds())),
	}
}

// ServeHTTP serves the page on another address than the direct entrance's. It reads
// nothing of the request.
func (p Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for name, value := range p.heads() {
		w.Header().Set(name, value)
	}
	w.Header().Set(fiber.HeaderXContentTypeOptions, "nosniff")
	w.Header().Set(fiber.HeaderContentType, p.ContentType)
	_, _ = w.Write(p.Body)
}

// pageHandler serves one page, or 304 if the client has it.
func (s *Server) pageHandler(p Page) fiber.Handler {
	heads := p.heads()
	return func(c *fiber.Ctx) error {
		fctx := c.Context()
		if err := s.allowNetwork(s.baseCtx, fctx); err != nil {
			return err
		}
		for name, value := range heads {
			fctx.Response.Header.Set(name, value)
		}
		if matchesETag(string(fctx.Request.Header.Peek(fiber.HeaderIfNoneMatch)), heads[fiber.HeaderETag]) {
			fctx.SetStatusCode(fiber.StatusNotModified)
			return nil
		}
		fctx.SetContentType(p.ContentType)
		fctx.Response.SetBodyRaw(p.Body)
		return nil
	}
}

// matchesETag reports whether an If-None-Match names the tag (RFC 9110 §13.1.2).
func matchesETag(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return true
		}
	}
	return false
}
