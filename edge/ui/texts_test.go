package ui

import (
	"testing"

	"galla/edge/i18n"
)

// TestTexts: every language has every text of the kit.
func TestTexts(t *testing.T) {
	for _, fault := range i18n.CheckCatalogue(i18n.Catalogue{Owner: "ui", Files: kitFiles}) {
		t.Error(fault)
	}
}
