package console

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"galla/central/accounts"
)

// named finds merchants, vendors or banks by their id or a part of their name.
func (e *PartyPages) named(ctx context.Context, field, text string, limit int) (list []named, err error) {
	filter := accounts.Filter{Text: text, Limit: limit}
	switch field {
	case "merchant":
		found, err := e.Accounts.MerchantsBy(ctx, filter)
		for _, m := range found {
			list = append(list, named{string(m.ID), m.LegalName})
		}
		return list, err
	case "vendor":
		found, err := e.Accounts.VendorsBy(ctx, filter)
		for _, x := range found {
			list = append(list, named{string(x.ID), x.LegalName})
		}
		return list, err
	}
	for _, b := range e.Banks.All() {
		if (b.IIN == text || strings.Contains(strings.ToLower(b.Name), strings.ToLower(text))) && len(list) < limit {
			list = append(list, named{b.IIN, b.Name})
		}
	}
	return list, nil
}

// maxSuggestions is how many names are suggested while somebody types.
const maxSuggestions = 8

// suggest answers the page's script with names that contain what was typed.
func (c *Console) suggest(v *visit) error {
	field, text := v.query().Get("of"), strings.TrimSpace(v.query().Get("text"))
	names := []string{}
	if len(text) >= 2 && len(text) <= 64 && withoutNumbers(text) != "" {
		found, err := c.partiesNamed(v.Context(), field, text, maxSuggestions)
		if err != nil {
			return err
		}
		for _, x := range found {
			names = append(names, x.Name)
		}
	}
	body, err := json.Marshal(names)
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.WriteHeader(http.StatusOK)
	_, _ = v.w.Write(body)
	return nil
}
