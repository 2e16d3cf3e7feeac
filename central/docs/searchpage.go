package docs

import (
	"fmt"

	"galla/central/docs/search"
)

// searchPage is the data of a page of results.
type searchPage struct {
	Query   string
	Longer  bool // the query was cut
	Max     int
	Results []search.Result
	Total   int
}

// More is the number of results that are not shown.
func (p searchPage) More() int { return p.Total - len(p.Results) }

// Search returns the page that answers a query. An empty query gets the field, and what can
// be searched.
func (h *Handbook) Search(query string) ([]byte, error) {
	s := searchPage{Max: search.MaxQuery}
	s.Query, s.Longer = search.Cut(query)
	s.Results, s.Total = h.index().Find(s.Query)
	title := "Search"
	if s.Query != "" {
		title = "Search: " + s.Query
	}
	page, err := h.render(SearchPath, handbookPage{Title: title, Search: &s})
	if err != nil {
		return nil, fmt.Errorf("fill the template of the handbook for a search: %w", err)
	}
	return page, nil
}
