package onboarding

import (
	"testing"

	"galla/edge/i18n"
)

// TestTexts: every language has every text of this section.
func TestTexts(t *testing.T) {
	for _, fault := range i18n.CheckCatalogue(i18n.Catalogue{Owner: "onboarding", Files: files}, "onboarding.status.other") {
		t.Error(fault)
	}
}
