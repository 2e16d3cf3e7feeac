package aadhaarqr

import (
	"encoding/xml"
	"strings"

	"galla/shared/secret"
)

const xmlElement = "PrintLetterBarcodeData"

// readXML reads the older form. What stands before the element is skipped: many cards have
// a declaration there that is no valid XML.
func readXML(text string) (Card, error) {
	at := strings.Index(text, "<"+xmlElement)
	if at < 0 {
		return Card{}, ErrFormat
	}
	token, err := xml.NewDecoder(strings.NewReader(text[at:])).RawToken()
	element, ok := token.(xml.StartElement)
	if err != nil || !ok || element.Name.Local != xmlElement {
		return Card{}, ErrFormat
	}
	values := map[string]string{}
	for _, a := range element.Attr {
		if _, twice := values[a.Name.Local]; twice {
			return Card{}, ErrFormat
		}
		values[a.Name.Local] = a.Value
	}
	card := Card{Name: cleanName(values["name"]), Signature: Unsigned}
	uid := strings.ReplaceAll(values["uid"], " ", "")
	if number, err := secret.ParseAadhaar(uid); err == nil {
		card.Number, card.LastDigits = number, uid[len(uid)-lastDigits:]
		return card, nil
	}
	// Later ones hide the first eight: xxxxxxxx1234.
	hidden, last := uid[:max(len(uid)-lastDigits, 0)], uid[max(len(uid)-lastDigits, 0):]
	if len(hidden) != 8 || strings.Trim(hidden, "xX*") != "" || !isDigits(last) {
		return Card{}, ErrFormat
	}
	card.LastDigits = last
	return card, nil
}
