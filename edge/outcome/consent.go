package outcome

import (
	"strings"

	"galla/edge/i18n"
)

// ConsentText is the text that the agent reads to the customer before a capture,
// in the customer's language.
func ConsentText(w *i18n.Localizer, k Kind, shop string) string {
	return w.Text("consent.text", "kind", k.Title(w), "shop", shop)
}

// ConsentVersion is the version and language of the text, for the record, such as
// AEPS-HI-1.
func ConsentVersion(w *i18n.Localizer) string { return w.Text("consent.version") }

// CustomerLanguage is the language of a consent's version; "" where it has none
// that is supported. Receipts and the customer's screen use it too.
func CustomerLanguage(version string) string {
	if parts := strings.Split(version, "-"); len(parts) == 3 {
		if code := strings.ToLower(parts[1]); i18n.IsSupported(code) {
			return code
		}
	}
	return ""
}
