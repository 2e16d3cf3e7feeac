package receipt

import (
	"slices"
	"strings"
)

// Short is the receipt in a few lines, in its language, for a phone that has no paper: the
// shop, what was done with which result, and the facts by which the bank finds it. It has
// no sentence of advice, so that its QR code is coarse enough for any camera. The rupee
// sign is written Rs.: beside Latin letters alone, phones read its bytes as Japanese.
func (r Receipt) Short() string {
	lines := append(slices.Clone(r.shop), r.Title)
	if r.Status != r.Title {
		lines = append(lines, r.Status)
	}
	for _, row := range r.short {
		lines = append(lines, row.Label+": "+row.Value)
	}
	return printed(strings.Join(lines, "\n"))
}
