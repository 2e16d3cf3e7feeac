package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"galla/shared/money"
	"galla/shared/theme"
)

// Values of the specification.
const (
	upiVersion     = "01"
	upiModeStatic  = "01" // a static QR code, without an amount
	upiModeDynamic = "15" // a dynamic QR code, for one amount
	upiCurrency    = "INR"
	// noMCC is the merchant category code of a payee without one.
	noMCC = "0000"
)

// Limits of the specification, in characters.
const (
	maxVPA       = 255
	maxPayeeName = 99
	maxUPINote   = 50
)

// qrModulePixels is the width of a module in the picture: whole modules stay
// sharp, and a link's code is about 500 pixels wide.
const qrModulePixels = 8

// Errors of newUPIPayee. They quote neither address nor category.
var (
	errVPA       = errors.New("the UPI address must be letters, digits, dots, hyphens and underscores, an @, and the handle")
	errPayeeName = errors.New("the payee's name must not be empty")
	errMCC       = errors.New("the merchant category code must have four digits")
)

var (
	vpaPattern = regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9][A-Za-z0-9.-]*$`)
	mccPattern = regexp.MustCompile(`^[0-9]{4}$`)
)

// upiPayee is the receiver of a payment.
type upiPayee struct {
	Address  string // virtual payment address, such as lakshmi@okbank
	Name     string // at most 99 characters
	Category string // merchant category code, four digits
}

// newUPIPayee checks a payee. A name that is too long is cut; an empty category is
// noMCC. Errors are errVPA, errPayeeName and errMCC, wrapped.
func newUPIPayee(addr, name, mcc string) (upiPayee, error) {
	p := upiPayee{Address: addr, Name: truncate(strings.TrimSpace(name), maxPayeeName), Category: mcc}
	if p.Category == "" {
		p.Category = noMCC
	}
	var wrong []error
	if len(addr) > maxVPA || !vpaPattern.MatchString(addr) {
		wrong = append(wrong, errVPA)
	}
	if p.Name == "" {
		wrong = append(wrong, errPayeeName)
	}
	if !mccPattern.MatchString(p.Category) {
		wrong = append(wrong, errMCC)
	}
	if wrong != nil {
		return upiPayee{}, fmt.Errorf("payee of a UPI link: %w", errors.Join(wrong...))
	}
	return p, nil
}

// defaultVPA is the UPI address of a merchant that has none of its own: its MID in
// lower case, at our handle.
func defaultVPA(mid, handle string) string { return strings.ToLower(mid) + "@" + handle }

// upiPayment is one payment by UPI.
type upiPayment struct {
	Order  string      // the merchant's own id of it, any text
	Amount money.Paise // 0: the payer enters it, and the code is static
}

// Dynamic reports whether the payment has an amount.
func (p upiPayment) Dynamic() bool { return p.Amount > 0 }

// upiLink writes the link that pays a payee, with the parameters in the order of
// domain.md, section 9. A static link has neither amount nor transaction
// reference, since it is paid many times. The note names the order in both.
func upiLink(to upiPayee, p upiPayment) string {
	link := linkWriter{"upi://pay?ver=" + upiVersion}
	if p.Dynamic() {
		link.add("mode", upiModeDynamic)
	} else {
		link.add("mode", upiModeStatic)
	}
	// Payment apps look for a plain @ in the address, which a query may hold.
	link.text += "&pa=" + strings.ReplaceAll(percentEncode(to.Address), "%40", "@")
	link.add("pn", to.Name)
	link.add("mc", to.Category)
	if p.Dynamic() {
		link.add("tr", upiReference(p.Order))
	}
	link.add("tn", truncate("Order "+p.Order, maxUPINote))
	if p.Dynamic() {
		link.add("am", p.Amount.String())
	}
	link.add("cu", upiCurrency)
	return link.text
}

// upiReferencePattern is a valid transaction reference: at most 35 characters by
// the specification, and payment apps refuse other characters.
var upiReferencePattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,35}$`)

// upiReference is the transaction reference of an order: its id if that is valid,
// otherwise a short hash of it, always the same.
func upiReference(order string) string {
	if upiReferencePattern.MatchString(order) {
		return order
	}
	sum := sha256.Sum256([]byte("galla/upi/order/v1\n" + order))
	return "order-" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15])) // 24 letters and digits
}

// linkWriter builds a link.
type linkWriter struct{ text string }

func (l *linkWriter) add(name, value string) { l.text += "&" + name + "=" + percentEncode(value) }

// percentEncode encodes a query value as in RFC 3986: a space is %20, since payment
// apps show a plus as it is.
func percentEncode(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// truncate shortens a text to at most max characters.
func truncate(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	return string([]rune(s)[:max])
}

// qrPicture draws the QR code of a link: a PNG as a data URI, with the quiet zone
// of four modules and medium recovery, which a worn sticker needs. It fails if the
// link is longer than a QR code holds (over two thousand bytes).
func qrPicture(link string) (string, error) {
	modules, err := theme.QRModules(link)
	if err != nil {
		return "", err
	}
	size := len(modules) * qrModulePixels
	picture := image.NewPaletted(image.Rect(0, 0, size, size), color.Palette{color.White, color.Black})
	for y := range size {
		for x := range size {
			if modules[y/qrModulePixels][x/qrModulePixels] {
				picture.SetColorIndex(x, y, 1)
			}
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		return "", fmt.Errorf("write the picture of a QR code: %w", err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes()), nil
}
