package door

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Page is a fixed page that everybody may read, such as the description of the
// interface.
type Page struct {
	ContentType string
	Body        []byte
	// Style is the text of the page's style element, which the page's
	// Content-Security-Policy then allows; empty: there is none. Nothing else
	// is ever allowed: no script, no image, nothing from elsewhere.
	Style string
}

// pageAge is how long a page may be kept without asking: it changes only when
// the program does.
const pageAge = 5 * time.Minute

// addPages serves the configured pages under their paths.
func (d *Door) addPages() error {
	for _, path := range slices.Sorted(maps.Keys(d.cfg.Pages)) {
		page := d.cfg.Pages[path]
		if !plainPath(path) || page.ContentType == "" {
			return fmt.Errorf("page %q: a plain path that begins with / and a content type are needed", path)
		}
		if d.taken(path) {
			return fmt.Errorf("page %s: the path is that of a route", path)
		}
		d.add(fiber.MethodGet, path, d.page(page))
	}
	for _, path := range slices.Sorted(maps.Keys(d.cfg.Redirects)) {
		to := d.cfg.Redirects[path]
		if !plainPath(path) || !plainPath(to) || d.taken(path) {
			return fmt.Errorf("redirect of %q to %q: two plain paths that begin with / are needed, the first of them free", path, to)
		}
		d.add(fiber.MethodGet, path, d.redirect(to))
	}
	return nil
}

func plainPath(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.ContainsAny(path, ":*+?")
}

// taken tells whether a path is served already.
func (d *Door) taken(path string) bool {
	return slices.ContainsFunc(d.app.GetRoutes(), func(r fiber.Route) bool { return r.Path == path })
}

// redirect leads to another path of this door.
func (d *Door) redirect(to string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		fctx := c.Context()
		if err := d.networks.allow(d.life, network(d.origin(fctx)), time.Now()); err != nil {
			d.refuse(fctx, err)
			return nil
		}
		fctx.Response.Header.Set(fiber.HeaderLocation, to)
		fctx.SetStatusCode(fiber.StatusFound)
		return nil
	}
}

// page serves one page, and 304 to those who have it.
func (d *Door) page(p Page) fiber.Handler {
	sum := sha256.Sum256(p.Body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if p.Style != "" {
		style := sha256.Sum256([]byte(p.Style))
		policy += "; style-src 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) + "'"
	}
	cache := fmt.Sprintf("public, max-age=%d", int(pageAge.Seconds()))
	return func(c *fiber.Ctx) error {
		fctx := c.Context()
		if err := d.networks.allow(d.life, network(d.origin(fctx)), time.Now()); err != nil {
			d.refuse(fctx, err)
			return nil
		}
		h := &fctx.Response.Header
		h.Set(headerCache, cache)
		h.Set(fiber.HeaderETag, tag)
		h.Set(fiber.HeaderContentSecurityPolicy, policy)
		if named(string(fctx.Request.Header.Peek(fiber.HeaderIfNoneMatch)), tag) {
			fctx.SetStatusCode(fiber.StatusNotModified)
			return nil
		}
		fctx.SetContentType(p.ContentType)
		fctx.Response.SetBodyRaw(p.Body)
		return nil
	}
}

// named tells whether an If-None-Match names the tag (RFC 9110 §13.1.2).
func named(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == tag {
			return true
		}
	}
	return false
}
