package services

import (
	"embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
	"galla/shared/secret"
)

// texts are the registered texts of messages, a file for each language.
//
//go:embed texts/*.json
var texts embed.FS

// maxShop bounds a shop's name in a message, in characters, as a variable of a registered
// text in India has 30 at most.
const maxShop = 30

// receiptPrefix begins the names of registered receipts: RECEIPT_WITHDRAWAL_DONE.
const receiptPrefix = "RECEIPT_"

// receiptTexts are the registered receipts of a language. A name is a kind and an outcome:
// RECEIPT_WITHDRAWAL_DONE.
type receiptTexts struct {
	Frame    string            `json:"frame"`
	Amount   string            `json:"amount"`  // where the operation has one
	Aadhaar  string            `json:"aadhaar"` // where it has a number
	Kinds    map[string]string `json:"kinds"`
	Outcomes map[string]string `json:"outcomes"`
}

// readTexts reads the registered texts, by language.
func readTexts() (map[string]receiptTexts, error) {
	files, err := texts.ReadDir("texts")
	if err != nil {
		return nil, fmt.Errorf("list the registered texts: %w", err)
	}
	out := map[string]receiptTexts{}
	for _, f := range files {
		var t receiptTexts
		b, err := texts.ReadFile("texts/" + f.Name())
		if err == nil {
			err = json.Unmarshal(b, &t, json.RejectUnknownMembers(true))
		}
		if err != nil {
			return nil, fmt.Errorf("read the registered texts %s: %w", f.Name(), err)
		}
		out[strings.TrimSuffix(f.Name(), ".json")] = t
	}
	return out, nil
}

// write writes a receipt's message; ok is false where no such text is registered.
func (t receiptTexts) write(p network.Particulars) (text string, ok bool) {
	name, isReceipt := strings.CutPrefix(p.Template, receiptPrefix)
	at := strings.LastIndexByte(name, '_')
	if !isReceipt || at < 0 {
		return "", false
	}
	what, outcome := t.Kinds[name[:at]], t.Outcomes[name[at+1:]]
	if what == "" || outcome == "" {
		return "", false
	}
	amount, aadhaar := "", ""
	if p.Value != "" {
		amount = strings.ReplaceAll(t.Amount, "{value}", p.Value)
	}
	if p.Account != "" {
		aadhaar = strings.ReplaceAll(t.Aadhaar, "{last4}", p.Account)
	}
	return strings.NewReplacer("{shop}", p.Shop, "{what}", what, "{amount}", amount, "{outcome}", outcome,
		"{aadhaar}", aadhaar, "{receipt}", p.Receipt, "{day}", p.Day).Replace(t.Frame), true
}

// receiptMessage puts a receipt into the inbox of the customer's telephone, within the
// commit that records its reference: a message that was answered was sent, once.
func (s *Services) receiptMessage(x books.Tx, q books.Request) (books.Decision, error) {
	p := q.Particulars
	if f := firstInvalid(isMobile("mobile number", p.Mobile), isName("shop", p.Shop), check{"shop", utf8.RuneCountInString(p.Shop) <= maxShop},
		check{"account number", p.Account == "" || digits(p.Account, 4, 4)}, isText("reference", p.Receipt), isText("amount", p.Value), isText("day", p.Day)); f != "" {
		return malformed(f), nil
	}
	text, ok := s.texts[p.Language].write(p)
	if !ok {
		return malformed("template"), nil
	}
	if err := x.AddMessage(p.Mobile, q.At, text); err != nil {
		return books.Decision{}, err
	}
	return approved(struct {
		Mobile string `json:"mobile"`
	}{secret.MaskMobile(p.Mobile)})
}
