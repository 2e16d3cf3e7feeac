package told

import (
	"strings"

	"galla/edge/words"
)

// Consent is what is read to the customer before a finger is captured, in the
// customer's language.
func Consent(w *words.Words, k Kind, shop string) string {
	return w.Say("consent.text", "kind", k.Title(w), "shop", shop)
}

// ConsentVersion names the consent's text and its language, for the record:
// AEPS-HI-1.
func ConsentVersion(w *words.Words) string { return w.Say("consent.version") }

// CustomerLanguage is the language in which a customer consented, read from the
// version in the record; "" where it names none that is spoken here. Receipts
// and the customer's screen speak it too.
func CustomerLanguage(version string) string {
	if parts := strings.Split(version, "-"); len(parts) == 3 {
		if code := strings.ToLower(parts[1]); words.Known(code) {
			return code
		}
	}
	return ""
}
