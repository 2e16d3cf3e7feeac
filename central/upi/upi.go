// Package upi writes what a customer's payment app reads at the counter: NPCI's
// UPI link that pays a merchant, and the QR code of it.
//
// It promises that a link is the specification's, byte for byte the same for
// the same payment; that nothing in a name, a note or an order id can add a
// parameter or change one; and that a payee whose address or category a payment
// app would refuse is an error here, before the code hangs in a shop.
//
// Data enters as a Payee, which NewPayee checks, and a Payment, and leaves as
// text: the link, and a PNG in a data URI. The facts are those of NPCI's UPI
// Linking Specification 1.6 (parameters, their bounds) and of domain.md, 'UPI
// QR' (which of them a static and a dynamic code have).
package upi

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	qrcode "github.com/skip2/go-qrcode"

	"galla/shared/money"
)

// Values of the specification.
const (
	version     = "01"
	modeQR      = "01" // a QR code of no amount
	modeDynamic = "15" // a dynamic QR code, of one amount
	currency    = "INR"
	// NoCategory is the merchant category code of payees that have none.
	NoCategory = "0000"
)

// Bounds of the specification, in characters.
const (
	maxAddress = 255
	maxName    = 99
	maxNote    = 50
)

// modulePixels is the width of a code's module in the picture: whole modules
// stay sharp, and a link's code is about 500 pixels wide.
const modulePixels = 8

// Errors of NewPayee. They quote neither address nor category.
var (
	ErrAddress  = errors.New("the UPI address must be letters, digits, dots, hyphens and underscores, an @, and the handle")
	ErrName     = errors.New("the payee's name must not be empty")
	ErrCategory = errors.New("the merchant category code must have four digits")
)

var (
	address  = regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9][A-Za-z0-9.-]*$`)
	category = regexp.MustCompile(`^[0-9]{4}$`)
)

// Payee is who is paid.
type Payee struct {
	Address  string // virtual payment address, such as lakshmi@okbank
	Name     string // at most 99 characters
	Category string // merchant category code, four digits
}

// NewPayee checks a payee. A name over the bound is cut; an empty category is
// NoCategory. Errors are ErrAddress, ErrName and ErrCategory, wrapped.
func NewPayee(addr, name, mcc string) (Payee, error) {
	p := Payee{Address: addr, Name: cut(strings.TrimSpace(name), maxName), Category: mcc}
	if p.Category == "" {
		p.Category = NoCategory
	}
	var wrong []error
	if len(addr) > maxAddress || !address.MatchString(addr) {
		wrong = append(wrong, ErrAddress)
	}
	if p.Name == "" {
		wrong = append(wrong, ErrName)
	}
	if !category.MatchString(p.Category) {
		wrong = append(wrong, ErrCategory)
	}
	if wrong != nil {
		return Payee{}, fmt.Errorf("payee of a UPI link: %w", errors.Join(wrong...))
	}
	return p, nil
}

// AddressOf is the UPI address that a merchant without one of its own has with
// us: its MID, in small letters, at our handle.
func AddressOf(mid, handle string) string { return strings.ToLower(mid) + "@" + handle }

// Payment is what is asked for.
type Payment struct {
	Order  string      // the merchant's own id of it, any text
	Amount money.Paise // 0: the payer's app asks for it, and the code is static
}

// Dynamic tells whether the payment has an amount of its own.
func (p Payment) Dynamic() bool { return p.Amount > 0 }

// Link writes the link that pays a payee. The parameters' order is domain.md's.
// A static link has neither amount nor transaction reference: it is paid many
// times, and a reference is for one payment. The note names the order in both.
func Link(to Payee, p Payment) string {
	link := link{"upi://pay?ver=" + version}
	if p.Dynamic() {
		link.add("mode", modeDynamic)
	} else {
		link.add("mode", modeQR)
	}
	// Payment apps look for the @ of an address as it is, which a query may hold.
	link.text += "&pa=" + strings.ReplaceAll(percent(to.Address), "%40", "@")
	link.add("pn", to.Name)
	link.add("mc", to.Category)
	if p.Dynamic() {
		link.add("tr", Reference(p.Order))
	}
	link.add("tn", cut("Order "+p.Order, maxNote))
	if p.Dynamic() {
		link.add("am", p.Amount.String())
	}
	link.add("cu", currency)
	return link.text
}

// reference is what a transaction reference may be: the specification bounds it
// to 35 characters, and payment apps refuse others than these.
var reference = regexp.MustCompile(`^[A-Za-z0-9._-]{1,35}$`)

// Reference is the transaction reference of an order: its id where that can be
// one, or else a short form of it, the same each time.
func Reference(order string) string {
	if reference.MatchString(order) {
		return order
	}
	sum := sha256.Sum256([]byte("galla/upi/order/v1\n" + order))
	return "order-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15])) // 24 letters and digits
}

// link is a link that is being written.
type link struct{ text string }

func (l *link) add(name, value string) { l.text += "&" + name + "=" + percent(value) }

// percent encodes a value of a query as RFC 3986 has it: a space is %20, since
// payment apps show a plus as it is.
func percent(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// cut shortens a text to at most max characters.
func cut(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	return string([]rune(s)[:max])
}

// Picture draws the QR code of a link: a PNG as a data URI, with the quiet zone
// of four modules and medium recovery, which a worn sticker needs. It fails
// where the link is longer than a QR code holds (over two thousand bytes).
func Picture(link string) (string, error) {
	png, err := qrcode.Encode(link, qrcode.Medium, -modulePixels)
	if err != nil {
		return "", fmt.Errorf("QR code of %d bytes: %w", len(link), err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(png), nil
}
