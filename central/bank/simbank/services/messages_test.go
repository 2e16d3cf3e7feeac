package services

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"galla/central/bank/network"
)

var (
	messageLanguages = []string{"bn", "en", "hi", "mr", "ta", "te"}
	receiptKinds     = []string{"WITHDRAWAL", "BALANCE", "STATEMENT", "PURCHASE", "TRANSFER", "REFUND", "PAYMENT", "PAYMENT_RETURNED"}
	receiptOutcomes  = []string{"DONE", "FAILED", "REVERSED"}
)

// receipt is the longest receipt that the central sends, of a template and a language.
func receipt(template, language string) network.Particulars {
	return network.Particulars{
		Mobile: mobile, Shop: "Lakshmi Kirana and General St.", Template: template, Language: language,
		Receipt: "GL261126ABCDEFGHJK", Value: "100000.00", Account: "7058", Day: "26-11-2026 19:05",
	}
}

func TestReceiptMessage(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, b *bank) {
		p := receipt("RECEIPT_WITHDRAWAL_DONE", "en")
		p.Shop, p.Receipt, p.Value = "Lakshmi Kirana Store", "633019000001", "500.00"
		if d := b.ok("mobile", network.ReceiptMessage, particulars(p)); d["mobile"] != "XXXXXX0001" {
			t.Errorf("data %v", d)
		}
		inbox, err := b.Inbox(t.Context(), mobile)
		want := "Lakshmi Kirana Store: Cash withdrawal of Rs 500.00: successful. Aadhaar XXXX7058. Ref 633019000001. 26-11-2026 19:05"
		if err != nil || len(inbox) != 1 || inbox[0].Text != want || inbox[0].OTP != "" { // send repeats each reference
			t.Errorf("inbox %+v, %v", inbox, err)
		}
		for word, change := range map[string]func(*network.Particulars){
			"mobile number":  func(p *network.Particulars) { p.Mobile = "90000" },
			"shop":           func(p *network.Particulars) { p.Shop = strings.Repeat("x", maxShop+1) },
			"account number": func(p *network.Particulars) { p.Account = "999941057058" },
			"reference":      func(p *network.Particulars) { p.Receipt = "a\nb" },
			"amount":         func(p *network.Particulars) { p.Value = "a\nb" },
			"day":            func(p *network.Particulars) { p.Day = "a\nb" },
			"template":       func(p *network.Particulars) { p.Template = "RECEIPT_DEPOSIT_DONE" },
		} {
			wrong := p
			change(&wrong)
			b.refused("30", "", word, network.ReceiptMessage, particulars(wrong))
		}
		for _, template := range []string{"RECEIPT_WITHDRAWAL", "RECEIPT_WITHDRAWAL_", "RECEIPT_", "RECEIPT__DONE", "WITHDRAWAL_DONE", "x"} {
			b.refused("30", "", "template", network.ReceiptMessage, particulars(receipt(template, "en")))
		}
		b.refused("30", "", "template", network.ReceiptMessage, particulars(receipt("RECEIPT_WITHDRAWAL_DONE", "fr")))
		b.reopen()
		if inbox, err := b.Inbox(t.Context(), mobile); err != nil || len(inbox) != 1 || inbox[0].Text != want {
			t.Errorf("after a restart: %+v, %v", inbox, err)
		}
		b.balanced()
	})
}

// TestRegisteredTexts: each language has each text, and the longest fits: one SMS of 160
// characters in English, of which GSM 7-bit has every one, and three of 67 in the others.
func TestRegisteredTexts(t *testing.T) {
	list, err := readTexts()
	if err != nil {
		t.Fatal(err)
	}
	for language := range list {
		if !slices.Contains(messageLanguages, language) {
			t.Errorf("texts in %s, which nobody chooses", language)
		}
	}
	const basic = "@$_!\"#%&'()*+,-./:;<=>?"
	for _, language := range messageLanguages {
		seen := map[string]bool{}
		for _, kind := range receiptKinds {
			for _, outcome := range receiptOutcomes {
				template := receiptPrefix + kind + "_" + outcome
				text, ok := list[language].write(receipt(template, language))
				if !ok || seen[text] || strings.ContainsAny(text, "{}") {
					t.Errorf("%s in %s: %q, %v", template, language, text, ok)
				}
				seen[text] = true
				for _, part := range []string{"XXXX7058", "100000.00", "GL261126ABCDEFGHJK", "26-11-2026 19:05"} {
					if !strings.Contains(text, part) {
						t.Errorf("%s in %s says nothing of %s: %s", template, language, part, text)
					}
				}
				plain := func(r rune) bool {
					return r == ' ' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune(basic, r)
				}
				if language == "en" && (len(text) > 160 || strings.ContainsFunc(text, func(r rune) bool { return !plain(r) })) {
					t.Errorf("%d characters, or not of GSM 7-bit: %s", len(text), text)
				}
				if n := len(utf16.Encode([]rune(text))); n > 3*67 {
					t.Errorf("%s in %s has %d characters: %s", template, language, n, text)
				}
			}
		}
	}
}
