package server

import (
	"fmt"
	"strings"

	"galla/central/door"
	"galla/central/guide"
	"galla/central/handbook"
	"galla/central/openapi"
)

// pages are the description of the interface, for programs and for people, the
// partners' guide, and the handbook; toDocs are the paths of those who ask for
// none of them in particular.
func pages(cfg Config, d *openapi.Document) (out map[string]door.Page, toDocs map[string]string, err error) {
	partners, err := guide.Page()
	if err != nil {
		return nil, nil, fmt.Errorf("write the partners' guide: %w", err)
	}
	const html = "text/html; charset=utf-8"
	toDocs = map[string]string{"/": "/docs", "/docs/": "/docs"}
	out = map[string]door.Page{
		"/openapi.json": {ContentType: "application/json", Body: d.JSON()},
		"/docs":         {ContentType: html, Body: d.Page(), Style: d.Style()},
		"/docs/gateway": {ContentType: html, Body: partners, Style: guide.Style()},
	}
	if cfg.Documents == nil {
		return out, toDocs, nil
	}
	chapters, err := handbook.Pages(cfg.Documents, guide.Style())
	if err != nil {
		return nil, nil, fmt.Errorf("write the handbook: %w", err)
	}
	for path, body := range chapters {
		if _, taken := out[path]; taken {
			return nil, nil, fmt.Errorf("write the handbook: %s is another page's address", strings.TrimPrefix(path, handbook.Root))
		}
		out[path] = door.Page{ContentType: html, Body: body, Style: guide.Style()}
	}
	return out, toDocs, nil
}
