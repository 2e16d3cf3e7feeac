// Package upi writes NPCI's UPI payment links and draws their QR codes: who is
// paid, by which order, and how much. It decides nothing and keeps nothing.
package upi

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	qrcode "github.com/skip2/go-qrcode"

	"galla/shared/money"
)

// Codes of NPCI's UPI linking specification.
const (
	version = "01"
	static  = "01" // mode: QR code
	dynamic = "15" // mode: dynamic QR code, for one amount
	// noCategory is the merchant category of payees that have none.
	noCategory = "0000"
	currency   = "INR"
)

// Bounds of NPCI's UPI linking specification, in characters.
const (
	maxPayee = 99
	maxNote  = 50
)

// qrModule is the width of a QR code's module in the picture, in pixels: whole
// modules stay sharp, and a link's code is about 500 pixels wide.
const qrModule = 8

// Payment is what a link asks for.
type Payment struct {
	Address  string      // UPI address (VPA) that is paid
	Payee    string      // name shown to the payer; see Payee
	Category string      // merchant category code; empty: none
	Order    string      // transaction reference of a dynamic link
	Amount   money.Paise // 0: a static link; the payer's app asks for the amount
}

// Payee cuts a legal name to what a link may carry.
func Payee(name string) string { return cut(name, maxPayee) }

// Link writes NPCI's link. The parameters' order is the specification's; a
// static link has neither reference nor amount.
func Link(p Payment) string {
	mode, category := static, p.Category
	if p.Amount > 0 {
		mode = dynamic
	}
	if category == "" {
		category = noCategory
	}
	var b strings.Builder
	b.WriteString("upi://pay?ver=" + version)
	add := func(name, value string) { b.WriteString("&" + name + "=" + value) }
	add("mode", mode)
	// Payment apps look for the @ of an address as it is, which a query may hold.
	add("pa", strings.ReplaceAll(percent(p.Address), "%40", "@"))
	add("pn", percent(p.Payee))
	add("mc", percent(category))
	if p.Amount > 0 {
		add("tr", percent(p.Order))
	}
	add("tn", percent(cut("Order "+p.Order, maxNote)))
	if p.Amount > 0 {
		add("am", p.Amount.String())
	}
	add("cu", currency)
	return b.String()
}

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

// Picture draws a QR code with medium recovery, which a worn sticker
// needs, as a data URI of a PNG.
func Picture(content string) (string, error) {
	png, err := qrcode.Encode(content, qrcode.Medium, -qrModule)
	if err != nil {
		return "", fmt.Errorf("encode %d bytes as a QR code: %w", len(content), err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(png), nil
}
