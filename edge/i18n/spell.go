package i18n

import (
	"encoding/json"
	"fmt"
	"strings"

	"galla/shared/money"
)

// numberKeys are the texts of which numbers are spelled. below100 holds the hundred words
// before rupees, separated by commas; hundreds the nine hundreds that end a number,
// hundreds-then those before more words. For the larger units {n} is how many: plain ends
// a number, then precedes more words, and one and one-then are for a single one.
var numberKeys = []string{
	"below100", "hundreds", "hundreds-then", "thousand", "thousand-then", "thousand-one", "thousand-one-then",
	"lakh", "lakh-then", "lakh-one", "lakh-one-then", "crore", "crore-then", "crore-one", "crore-one-then",
	"rupee", "rupees", "paise", "and",
}

// AmountInWords spells an amount: five hundred rupees and fifty paise. A negative amount
// is "".
func (w *Localizer) AmountInWords(p money.Paise) string {
	if p < 0 {
		return ""
	}
	whole, paise := int64(p/money.Rupee), int64(p.Fraction())
	text := w.Text("number.rupees", "n", w.spellNumber(whole))
	if whole == 1 {
		text = w.Text("number.rupee", "n", w.spellNumber(whole))
	}
	if paise > 0 {
		text = w.Text("number.and", "a", text, "b", w.Text("number.paise", "n", w.spellNumber(paise)))
	}
	return text
}

// NumberTextsJSON returns the texts of numbers as JSON for the script amount.js, which has
// the same rules.
func (w *Localizer) NumberTextsJSON() string {
	m := map[string]string{}
	for _, key := range numberKeys {
		m[key] = w.Text("number." + key)
	}
	b, err := json.Marshal(m)
	if err != nil {
		return "{}" // strings always marshal
	}
	return string(b)
}

func (w *Localizer) spellNumber(n int64) string {
	below := strings.Split(w.Text("number.below100"), ",")
	var parts []string
	for _, unit := range []struct {
		size int64
		key  string
	}{{1_00_00_000, "crore"}, {1_00_000, "lakh"}, {1_000, "thousand"}} {
		if n < unit.size {
			continue
		}
		many, key := n/unit.size, "number."+unit.key
		n %= unit.size
		if many == 1 {
			key += "-one"
		}
		if n > 0 {
			key += "-then"
		}
		parts = append(parts, w.Text(key, "n", w.spellNumber(many)))
	}
	if n >= 100 {
		key := "number.hundreds"
		if n%100 > 0 {
			key += "-then"
		}
		hundreds := strings.Split(w.Text(key), ",")
		if int(n/100) > len(hundreds) {
			return fmt.Sprint(n)
		}
		parts = append(parts, hundreds[n/100-1])
		n %= 100
	}
	if n > 0 || len(parts) == 0 {
		if int(n) >= len(below) {
			return fmt.Sprint(n)
		}
		parts = append(parts, below[n])
	}
	return strings.Join(parts, " ")
}
