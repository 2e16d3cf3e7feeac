package httpapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"galla/central"
)

// maxSiteBody bounds what a browser sends to a site: forms.
const maxSiteBody = 64 << 10

// headerForwardedProto is where a proxy says how it was called.
const headerForwardedProto = "X-Forwarded-Proto"

// addSite serves everything below a path, such as /portal/, by a net/http handler: pages
// for people. It sets its own headers.
func (s *Server) addSite(root string, site http.Handler) {
	serve := func(c *fiber.Ctx) error { return s.serveSite(c, site) }
	for _, method := range []string{fiber.MethodGet, fiber.MethodHead, fiber.MethodPost} {
		s.app.Add(method, root+"*", serve)
	}
	s.app.Add(fiber.MethodGet, strings.TrimSuffix(root, "/"), s.redirectHandler(root))
}

func (s *Server) serveSite(c *fiber.Ctx, site http.Handler) error {
	fctx := c.Context()
	if err := s.allowNetwork(s.baseCtx, fctx); err != nil {
		return err
	}
	body, err := readBody(fctx, maxSiteBody)
	if err != nil {
		return err
	}
	r, err := s.siteRequest(fctx, body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.cfg.CallTimeout)
	defer cancel()
	w := &siteReply{header: http.Header{}}
	site.ServeHTTP(w, r.WithContext(ctx))
	h := &fctx.Response.Header
	for name, values := range w.header {
		h.Del(name)
		for _, value := range values {
			h.Add(name, value)
		}
	}
	if w.stream != nil {
		return s.stream(fctx, central.Reply{HTTP: http.StatusOK, Stream: w.stream})
	}
	fctx.SetStatusCode(max(w.status, http.StatusOK))
	fctx.Response.SetBodyRaw(w.body.Bytes())
	return nil
}

// siteRequest is a request as net/http gives it. A request that a trusted proxy got over TLS
// counts as one over TLS.
func (s *Server) siteRequest(fctx *fasthttp.RequestCtx, body []byte) (*http.Request, error) {
	target, err := url.ParseRequestURI(string(fctx.RequestURI()))
	if err != nil {
		return nil, central.NewFieldError("path", "url", "must be a well-formed path")
	}
	peer, _ := netip.AddrFromSlice(fctx.RemoteIP())
	r := &http.Request{
		Method: string(fctx.Method()), URL: target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Host: string(fctx.Host()),
		RequestURI: string(fctx.RequestURI()), Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), TLS: fctx.TLSConnectionState(),
	}
	for name, value := range fctx.Request.Header.All() {
		r.Header.Add(string(name), string(value))
	}
	client := clientIPOf(peer, r.Header.Values(headerForwarded), s.cfg.Trusted)
	r.RemoteAddr = net.JoinHostPort(client.String(), "0")
	if r.TLS == nil && inNetworks(peer.Unmap(), s.cfg.Trusted) && r.Header.Get(headerForwardedProto) == "https" {
		r.TLS = &tls.ConnectionState{}
	}
	return r.WithContext(context.WithValue(s.baseCtx, http.LocalAddrContextKey, fctx.LocalAddr())), nil
}

// siteReply collects a reply. A page is complete before its first byte is sent.
type siteReply struct {
	header http.Header
	status int
	body   bytes.Buffer
	stream *central.Stream
}

// Header implements http.ResponseWriter.
func (w *siteReply) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter: the first status counts.
func (w *siteReply) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *siteReply) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// SendStream makes the reply a body that is written while it is sent.
func (w *siteReply) SendStream(stream *central.Stream) { w.stream = stream }
