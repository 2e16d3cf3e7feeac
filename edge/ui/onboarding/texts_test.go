package onboarding

import (
	"testing"

	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
)

// TestTexts: every language has every text of this section.
func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "onboarding", Files: files}, "onboarding.status.other")
}
