package server

import (
	"fmt"
	"strings"

	"galla/central/api/openapi"
	"galla/central/docs"
	"galla/central/httpapi"
)

// docPages returns the pages of the documentation: OpenAPI, its page and collection, the
// partners' guide and the handbook. toDocs are paths that redirect to them.
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
