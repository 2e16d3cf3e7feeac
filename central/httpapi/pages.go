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
	"github.com/valyala/fasthttp"
)

// Page is a page for everybody, such as the description of the interface.
type Page struct {
	ContentType string
	Body        []byte
	// Style is the text of the page's style element, which its
	// Content-Security-Policy allows; empty: there is none. Beside what follows the
	// policy allows nothing else: no script, no image, nothing from elsewhere.
	Style string
	// Script is the text of the page's script element, which the policy allows like the
	// style.
	Script string
	// Forms lets the page send forms to this server.
	Forms bool
	// Answer makes the page of a query, the parameter q, in place of Body.
	Answer func(query string) ([]byte, error)
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
	return map[string]string{
		fiber.HeaderETag: `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`, fiber.HeaderContentSecurityPolicy: p.policy(),
		headerCache: fmt.Sprintf("public, max-age=%d", int(pageAge.Seconds())),
	}
}

// ServeHTTP serves the page on another address than the direct entrance's. It reads nothing of
// the request but the query of a page that answers one.
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	heads, body := p.heads(), p.Body
	if p.Answer != nil {
		var err error
		if body, err = p.Answer(r.URL.Query().Get("q")); err != nil {
			http.Error(w, "This search failed.", http.StatusInternalServerError)
			return
		}
		delete(heads, fiber.HeaderETag)
		heads[headerCache] = "no-store"
	}
	for name, value := range heads {
		w.Header().Set(name, value)
	}
	w.Header().Set(fiber.HeaderXContentTypeOptions, "nosniff")
	w.Header().Set(fiber.HeaderContentType, p.ContentType)
	_, _ = w.Write(body)
}

// pageHandler serves one page, or 304 if the client has it.
func (s *Server) pageHandler(p Page) fiber.Handler {
	heads := p.heads()
	return func(c *fiber.Ctx) error {
		fctx := c.Context()
		if err := s.allowNetwork(s.baseCtx, fctx); err != nil {
			return err
		}
		if p.Answer != nil {
			return answerQuery(fctx, p, heads[fiber.HeaderContentSecurityPolicy])
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

// answerQuery serves the page of a query. Nobody keeps it: a query may be what a customer said.
func answerQuery(fctx *fasthttp.RequestCtx, p Page, policy string) error {
	body, err := p.Answer(string(fctx.QueryArgs().Peek("q")))
	if err != nil {
		return err
	}
	h := &fctx.Response.Header
	h.Set(headerCache, "no-store")
	h.Set(fiber.HeaderContentSecurityPolicy, policy)
	fctx.SetContentType(p.ContentType)
	fctx.Response.SetBodyRaw(body)
	return nil
}

// policy is the page's Content-Security-Policy.
func (p Page) policy() string {
	forms := "'none'"
	if p.Forms {
		forms = "'self'"
	}
	policy := "default-src 'none'; base-uri 'none'; form-action " + forms + "; frame-ancestors 'none'"
	if p.Style != "" {
		policy += "; style-src " + hashSource(p.Style)
	}
	var scripts []string
	if p.Script != "" {
		scripts = append(scripts, hashSource(p.Script))
	}
	if p.Scripts {
		scripts = append(scripts, "'self'")
	}
	if len(scripts) > 0 {
		policy += "; script-src " + strings.Join(scripts, " ")
	}
	if p.Scripts {
		policy += "; connect-src " + strings.Join(append([]string{"'self'"}, p.Connect...), " ")
	}
	return policy
}

// hashSource allows the style or script element with this text.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
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
