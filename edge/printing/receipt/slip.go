package receipt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"galla/edge/printing/escpos"
	"galla/edge/printing/raster"
	"galla/shared/ist"
)

// Paper describes paper and printer.
type Paper struct {
	Columns int  // Narrow or Wide
	DrawQR  bool // for printers without a command for QR codes
}

// Copy is the number of a print. The zero value is the original.
type Copy struct {
	Number int       // 1 is the first reprint
	At     time.Time // when it is printed
}

// Sizes on paper, in dots.
const (
	bodySize  = 24
	titleSize = 32
	qrModule  = 5
	ruleGap   = 6 // white space above and below a rule
	endFeed   = 1 // lines before the cutter's own feed
)

// dots is the paper's width in dots.
func (p Paper) dots() int {
	if p.Columns >= Wide {
		return escpos.Dots80
	}
	return escpos.Dots58
}

// Mark returns the mark of a reprint in the receipt's language; "" for the original.
func (r Receipt) Mark(c Copy) string {
	if c.Number < 1 {
		return ""
	}
	return r.Words.Text("slip.duplicate", "n", c.Number, "time", r.Words.DateTime(c.At))
}

// CodeCaption says what the QR code of the slip is; "" where there is none.
func (r Receipt) CodeCaption() string {
	if r.Reference == "" || r.Words == nil { // nil: of a test page
		return ""
	}
	return r.Words.Text("slip.code")
}

// Slip makes a print job. An error names what does not fit on paper; there is nothing to
// print then.
func (r Receipt) Slip(paper Paper, c Copy, set *raster.Typesetter) ([]byte, error) {
	d := escpos.New()
	text := r.Text(paper.Columns)
	if escpos.Printable(strings.ReplaceAll(text, "\n", "") + r.Mark(c) + r.CodeCaption()) {
		r.addText(d, text, c, paper.Columns)
	} else if err := addBitmaps(d, r.bitmaps(paper.dots(), c, set)); err != nil {
		return nil, err
	}
	if err := r.addQR(d, paper); err != nil {
		return nil, err
	}
	d.Feed(endFeed)
	d.Cut()
	return d.Bytes(), nil
}

// addText prints the receipt in the printer's own font.
func (r Receipt) addText(d *escpos.Document, text string, c Copy, columns int) {
	mark := func() {
		if s := r.Mark(c); s != "" {
			d.Align(escpos.Centre)
			d.Bold(true)
			d.Line(s)
			d.Bold(false)
			d.Align(escpos.Left)
		}
	}
	mark()
	for l := range strings.Lines(text) {
		d.Line(strings.TrimSuffix(l, "\n"))
	}
	mark()
	for _, l := range wrap(r.CodeCaption(), columns) {
		d.Align(escpos.Centre)
		d.Line(l)
		d.Align(escpos.Left)
	}
}

// bitmaps draws the parts of a slip, from top to bottom.
func (r Receipt) bitmaps(width int, c Copy, set *raster.Typesetter) []*escpos.Bitmap {
	mark := part{kind: centred, left: r.Mark(c)}
	var out []*escpos.Bitmap
	for _, p := range slices.Concat([]part{mark}, r.parts(), []part{mark, {kind: centred, left: r.CodeCaption()}}) {
		style := raster.Style{Size: bodySize}
		switch p.kind {
		case rule:
			out = append(out, ruleBitmap(width))
			continue
		case pair, entry:
			out = append(out, set.RenderPair(p.left, p.right, style, width))
			continue
		case centred:
			style.Align = escpos.Centre
		case headline:
			style = raster.Style{Size: titleSize, Align: escpos.Centre}
		}
		out = append(out, set.Render(p.left, style, width))
	}
	return out
}

// addBitmaps prints bitmaps below one another; those of no height are left out.
func addBitmaps(d *escpos.Document, parts []*escpos.Bitmap) error {
	for _, m := range parts {
		if m.Height == 0 {
			continue
		}
		if err := d.Raster(m); err != nil {
			return fmt.Errorf("slip can't be drawn: %w", err)
		}
	}
	return nil
}

func ruleBitmap(width int) *escpos.Bitmap {
	m := escpos.NewBitmap(width, 2*ruleGap+1)
	for x := range width {
		m.Set(x, ruleGap)
	}
	return m
}

// addQR prints the reference as a QR code, below its caption.
func (r Receipt) addQR(d *escpos.Document, paper Paper) error {
	if r.Reference == "" {
		return nil
	}
	d.Align(escpos.Centre)
	defer d.Align(escpos.Left)
	if !paper.DrawQR {
		return d.QR(r.Reference, qrModule)
	}
	m, err := escpos.QRBitmap(r.Reference, qrModule)
	if err != nil {
		return err
	}
	return d.Raster(m)
}

// TestPage is a job that shows whether paper, characters, pictures and codes are printed:
// the width as a row of digits, a line in each language's script, and a QR code. Name is
// the printer's display name.
func TestPage(paper Paper, name string, at time.Time, set *raster.Typesetter) ([]byte, error) {
	d := escpos.New()
	d.Align(escpos.Centre)
	d.Bold(true)
	d.Line(clean(name))
	d.Bold(false)
	d.Line(at.In(ist.Zone()).Format("02 Jan 2006, 15:04:05"))
	d.Align(escpos.Left)
	d.Line(strings.Repeat("1234567890", 1+paper.Columns/10)[:max(paper.Columns, 1)])
	var parts []*escpos.Bitmap
	for _, s := range []string{"English ₹1,23,456.50", "हिन्दी", "मराठी", "বাংলা", "తెలుగు", "தமிழ்"} {
		parts = append(parts, set.Render(s, raster.Style{Size: bodySize, Align: escpos.Centre}, paper.dots()))
	}
	if err := addBitmaps(d, append(parts, ruleBitmap(paper.dots()))); err != nil {
		return nil, err
	}
	if err := (Receipt{Reference: "GALLA TEST"}).addQR(d, paper); err != nil {
		return nil, err
	}
	d.Feed(endFeed)
	d.Cut()
	return d.Bytes(), nil
}
