package users

import (
	"testing"

	"galla/edge/i18n"
	"galla/edge/i18n/i18ntest"
)

// TestTexts: every language has every text of the section.
func TestTexts(t *testing.T) {
	i18ntest.Check(t, i18n.Catalogue{Owner: "users", Files: files})
}
