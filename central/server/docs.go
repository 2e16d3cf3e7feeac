package server

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"

	"galla/central"
	"galla/central/api/openapi"
	"galla/central/docs"
	"galla/central/docs/tryit"
	"galla/central/httpapi"
	"galla/shared/op"
)

// docPages returns the pages of the documentation: OpenAPI, its page and collection, the
// partners' guide, the page that sends calls, and the handbook. toDocs are paths that redirect to them.
func docPages(cfg Config) (out map[string]httpapi.Page, toDocs map[string]string, err error) {
	document, err := openapi.JSON()
	if err != nil {
		return nil, nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	partners, err := docs.GatewayGuide()
	if err != nil {
		return nil, nil, fmt.Errorf("write the partners' guide: %w", err)
	}
	const html = "text/html; charset=utf-8"
	toDocs = map[string]string{"/": "/docs", "/docs/": "/docs"}
	out = map[string]httpapi.Page{
		"/openapi.json":                  {ContentType: "application/json", Body: document},
		"/docs":                          {ContentType: html, Body: openapi.Page(), Style: openapi.Style()},
		"/docs/postman.json":             {ContentType: "application/json", Body: openapi.Collection()},
		"/docs/postman-environment.json": {ContentType: "application/json", Body: openapi.Environment()},
		"/docs/gateway":                  {ContentType: html, Body: partners, Style: docs.Style()},
	}
	if err := addTry(out, cfg); err != nil {
		return nil, nil, err
	}
	if cfg.Documents == nil {
		return out, toDocs, nil
	}
	chapters, err := docs.Handbook(cfg.Documents, docs.Style())
	if err != nil {
		return nil, nil, fmt.Errorf("write the handbook: %w", err)
	}
	for path, body := range chapters {
		if _, taken := out[path]; taken {
			return nil, nil, fmt.Errorf("write the handbook: %s is the path of another page", strings.TrimPrefix(path, docs.HandbookRoot))
		}
		out[path] = httpapi.Page{ContentType: html, Body: body, Style: docs.Style()}
	}
	return out, toDocs, nil
}

// addDocs adds the pages of the documentation, to which the console's pages lead. None
// sends calls: the entrances are on another address.
func (a *adminServer) addDocs(pages map[string]httpapi.Page) error {
	a.docs = maps.Clone(pages)
	maps.DeleteFunc(a.docs, func(path string, p httpapi.Page) bool {
		return p.Scripts || strings.HasPrefix(p.ContentType, "text/javascript") || path == "/docs/try.json"
	})
	return addTry(a.docs, Config{})
}

// Addresses of a sandbox's simulators where Config names no others.
const (
	defaultReader = "http://127.0.0.1:11100"
	defaultBank   = "http://127.0.0.1:7300"
)

// addTry adds the page that sends calls. In production it says where the page is.
func addTry(out map[string]httpapi.Page, cfg Config) error {
	const html, path = "text/html; charset=utf-8", "/docs/try"
	if !cfg.Sandbox {
		body, err := tryit.Elsewhere()
		out[path] = httpapi.Page{ContentType: html, Body: body, Style: tryit.Style()}
		return err
	}
	known := sandboxOf(cfg)
	body, errPage := tryit.Page()
	data, errData := tryit.Data(openapi.Samples(), known)
	out[path] = httpapi.Page{ContentType: html, Body: body, Style: tryit.Style(), Scripts: true, Connect: []string{known.Reader, known.Bank}}
	out["/docs/try.json"] = httpapi.Page{ContentType: "application/json", Body: data}
	for name, text := range tryit.Scripts() {
		out[name] = httpapi.Page{ContentType: "text/javascript; charset=utf-8", Body: text}
	}
	return errors.Join(errPage, errData)
}

// sandboxOf is what the page knows of a sandbox.
func sandboxOf(cfg Config) tryit.Sandbox {
	s := tryit.Sandbox{Reader: cmp.Or(cfg.SandboxReader, defaultReader), Bank: cmp.Or(cfg.SandboxBank, defaultBank)}
	vendors := map[central.VendorID]string{}
	for _, c := range sandboxClients() {
		s.Clients = append(s.Clients, tryit.Client{ID: c.id, Secret: c.secret, Role: string(c.principal.Role)})
		if c.principal.Role == op.Vendor {
			vendors[c.principal.Vendor] = c.id
		}
	}
	for _, k := range sandboxKeys() {
		v := tryit.Vendor{APIKey: k.APIKey.Reveal(), KeyHex: hex.EncodeToString(k.Key.Reveal()), Client: vendors[k.Vendor]}
		if k.Vendor == vendorV2 {
			v.Merchant = merchantBase + "3" // the samples name merchants of the first vendor
		}
		s.Vendors = append(s.Vendors, v)
	}
	return s
}
