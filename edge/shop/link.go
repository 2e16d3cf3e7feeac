package shop

import (
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"strings"

	qrcode "github.com/skip2/go-qrcode"

	"galla/edge"
	"galla/shared/money"
	"galla/shared/op"
)

// code is a UPI QR code, read from the central's reply.
type code struct {
	Link   string      `json:"link"`
	VPA    string      `json:"vpa"`
	Payee  string      `json:"payee"`
	Note   string      `json:"note"` // tn of the link; empty: none
	Order  string      `json:"order"`
	Amount money.Paise `json:"amount"` // 0: the customer types it
}

// errCode says that a code must not be shown: who scans it would pay another
// amount, or somebody else, than the page says.
var errCode = errors.New("the UPI code of the reply does not say what was asked for")

// readCode reads the code of a reply, and holds the link, which is what a phone
// reads, against the reply and against the amount that was asked for.
func readCode(v edge.View, asked money.Paise) (code, error) {
	c, err := readLink(v.Value("upiLink"))
	if err != nil {
		return code{}, err
	}
	c.Order = v.Value("order_id")
	switch {
	case v.State != op.Succeeded:
		return code{}, fmt.Errorf("%w: the operation is %s", errCode, v.State)
	case c.Amount != asked:
		return code{}, fmt.Errorf("%w: the amounts differ", errCode)
	case c.VPA != v.Value("vpa"):
		return code{}, fmt.Errorf("%w: the payees differ", errCode)
	}
	return c, nil
}

// readLink reads NPCI's link. Each parameter stands once, and the currency is
// the rupee.
func readLink(link string) (code, error) {
	u, err := url.Parse(link)
	if err != nil || len(link) > maxLink || u.Scheme != "upi" || u.Host != "pay" {
		return code{}, fmt.Errorf("%w: there is no UPI link", errCode)
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return code{}, fmt.Errorf("%w: the link can't be read", errCode)
	}
	for name, values := range q {
		if len(values) > 1 || name != strings.ToLower(name) && q.Has(strings.ToLower(name)) {
			return code{}, fmt.Errorf("%w: a parameter stands twice", errCode)
		}
	}
	c := code{Link: link, VPA: q.Get("pa"), Payee: q.Get("pn"), Note: q.Get("tn")}
	if c.VPA == "" || !strings.Contains(c.VPA, "@") {
		return code{}, fmt.Errorf("%w: it pays nobody", errCode)
	}
	if cu := q.Get("cu"); cu != "" && cu != "INR" {
		return code{}, fmt.Errorf("%w: its currency is not the rupee", errCode)
	}
	if am := q.Get("am"); am != "" {
		if c.Amount, err = money.Parse(am); err != nil || c.Amount < 0 {
			return code{}, fmt.Errorf("%w: its amount can't be read", errCode)
		}
	}
	return c, nil
}

// drawn draws a link as an SVG that stays sharp on paper of any size.
func drawn(link string) (template.HTML, error) {
	q, err := qrcode.New(link, qrcode.Medium)
	if err != nil {
		return "", fmt.Errorf("draw the UPI code: %w", err)
	}
	rows := q.Bitmap() // with its quiet zone
	var path strings.Builder
	for y, row := range rows {
		for x := 0; x < len(row); x++ {
			if !row[x] {
				continue
			}
			from := x
			for x < len(row) && row[x] {
				x++
			}
			fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from, y, x-from, x-from)
		}
	}
	// Numbers and fixed text only, so nothing of the link is in it.
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" shape-rendering="crispEdges" aria-hidden="true"><rect width="%d" height="%d" fill="#fff"/><path d="%s" fill="#000"/></svg>`,
		len(rows), len(rows), len(rows), len(rows), path.String())), nil
}

// Picture gives the UPI code that an operation brought, drawn from its link,
// and its amount, 0 where the customer types it; ok is false for an operation
// that brought none, and for a code that must not be shown.
func (s *Shop) Picture(v edge.View) (drawing template.HTML, amount money.Paise, ok bool) {
	asked, known := s.amountOf(v.ID)
	if !known {
		return "", 0, false
	}
	c, err := readCode(v, asked)
	if err != nil {
		return "", 0, false
	}
	drawing, err = drawn(c.Link)
	return drawing, c.Amount, err == nil
}
