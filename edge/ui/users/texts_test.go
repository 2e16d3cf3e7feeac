package users

import (
	"testing"

	"galla/edge/i18n"
)

// TestTexts: every language has every text of the section.
func TestTexts(t *testing.T) {
	for _, fault := range i18n.CheckCatalogue(i18n.Catalogue{Owner: "users", Files: files}) {
		t.Error(fault)
	}
}
