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
// partners' guide, and the handbook.
func pages(cfg Config, d *openapi.Document) (map[string]door.Page, error) {
	partners, err := guide.Page()
	if err != nil {
		return nil, fmt.Errorf("write the partners' guide: %w", err)
	}
	const html = "text/html; charset=utf-8"
	out := map[string]door.Page{
		"/openapi.json": {ContentType: "application/json", Body: d.JSON()},
		"/docs":         {ContentType: html, Body: d.Page(), Style: d.Style()},
		"/docs/gateway": {ContentType: html, Body: partners, Style: guide.Style()},
	}
	if cfg.Documents == nil {
		return out, nil
	}
	chapters, err := handbook.Pages(cfg.Documents, guide.Style())
	if err != nil {
		return nil, fmt.Errorf("write the handbook: %w", err)
	}
	for path, body := range chapters {
		if _, taken := out[path]; taken {
			return nil, fmt.Errorf("write the handbook: %s is another page's address", strings.TrimPrefix(path, handbook.Root))
		}
		out[path] = door.Page{ContentType: html, Body: body, Style: guide.Style()}
	}
	return out, nil
}
