package receipt

import (
	"fmt"
	"strings"
	"time"

	"galla/edge/escpos"
	"galla/edge/typeset"
	"galla/edge/words"
)

// Paper is what a slip is printed on.
type Paper struct {
	Columns int         // Narrow or Wide
	Page    escpos.Page // of the printer's characters
	DrawQR  bool        // for printers without a command for QR codes
}

// Copy is which print of a slip this is. The zero value is the original.
type Copy struct {
	Number int       // 1 is the first reprint
	At     time.Time // when it is printed
}

// Sizes on paper, in dots.
const (
	bodySize  = 24
	titleSize = 32
	qrModule  = 5
	ruleGap   = 6 // white above and below a rule
	endFeed   = 1 // lines before the cutter's own feed
)

// dots is the paper's width.
func (p Paper) dots() int {
	if p.Columns >= Wide {
		return escpos.Dots80
	}
	return escpos.Dots58
}

// mark is what a reprint says of itself; the original says nothing.
func (c Copy) mark(say *words.Words) string {
	if c.Number < 1 {
		return ""
	}
	return say.Say("slip.duplicate", "n", c.Number, "time", say.Stamp(c.At))
}

// Mark is what a reprint says of itself, in the receipt's language; the original
// says nothing.
func (r Receipt) Mark(c Copy) string { return c.mark(r.Words) }

// Slip makes the receipt a job for a printer. Its errors name what does not fit
// on paper; there is nothing to print then.
func (r Receipt) Slip(paper Paper, c Copy, set *typeset.Setter) ([]byte, error) {
	d := escpos.New(paper.Page)
	text := r.Text(paper.Columns)
	if paper.Page.Printable(strings.ReplaceAll(text, "\n", "") + r.Mark(c)) {
		r.characters(d, text, c)
	} else if err := r.raster(d, paper, c, set); err != nil {
		return nil, err
	}
	if err := r.code(d, paper); err != nil {
		return nil, err
	}
	d.Feed(endFeed)
	d.Cut()
	return d.Bytes(), nil
}

// characters prints the receipt in the printer's own font.
func (r Receipt) characters(d *escpos.Document, text string, c Copy) {
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
}

// raster prints the receipt as a picture, in the order of Text.
func (r Receipt) raster(d *escpos.Document, paper Paper, c Copy, set *typeset.Setter) error {
	return place(d, r.pictures(paper.dots(), c, set))
}

// pictures are the parts of a slip, to stand below one another.
func (r Receipt) pictures(width int, c Copy, set *typeset.Setter) []*escpos.Bitmap {
	var parts []*escpos.Bitmap
	add := func(s string, size int, align escpos.Align) {
		parts = append(parts, set.Set(s, typeset.Style{Size: size, Align: align}, width))
	}
	pair := func(label, value string) {
		parts = append(parts, set.Pair(label, value, typeset.Style{Size: bodySize}, width))
	}
	rule := func() { parts = append(parts, ruled(width)) }

	add(r.Mark(c), bodySize, escpos.Centre)
	for _, s := range r.Shop {
		add(s, bodySize, escpos.Centre)
	}
	rule()
	add(r.Title, titleSize, escpos.Centre)
	add(r.Status, titleSize, escpos.Centre)
	rule()
	for _, row := range r.Rows {
		pair(row.Label, row.Value)
	}
	if len(r.Entries) > 0 {
		rule()
	}
	for _, e := range r.Entries {
		if e.Date == "" {
			add(e.Raw, bodySize, escpos.Left)
			continue
		}
		pair(e.Date+" "+e.Narration, e.sum(r.Words))
	}
	if len(r.Notes) > 0 {
		rule()
	}
	for _, s := range r.Notes {
		add(s, bodySize, escpos.Left)
	}
	add(r.Mark(c), bodySize, escpos.Centre)
	return parts
}

// place puts pictures below one another; those of no height are left out.
func place(d *escpos.Document, parts []*escpos.Bitmap) error {
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

func ruled(width int) *escpos.Bitmap {
	m := escpos.NewBitmap(width, 2*ruleGap+1)
	for x := range width {
		m.Set(x, ruleGap)
	}
	return m
}

// code prints the reference as a QR code.
func (r Receipt) code(d *escpos.Document, paper Paper) error {
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

// Drawing is the QR code of a reference as SVG, for a page: black squares on
// white. Nothing of the text itself stands in it.
func Drawing(reference string) (string, error) {
	m, err := escpos.QRBitmap(reference, 1)
	if err != nil {
		return "", err
	}
	var path strings.Builder
	for y := range m.Height {
		for x := 0; x < m.Width; x++ {
			from := x
			for x < m.Width && m.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from, y, x-from, x-from)
			}
		}
	}
	return fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" shape-rendering="crispEdges" aria-hidden="true"><rect width="%d" height="%d" fill="#fff"/><path d="%s"/></svg>`,
		m.Width, m.Height, m.Width, m.Height, path.String()), nil
}

// TestPage is a job that shows whether paper, characters, pictures and codes
// come out: the width as a row of digits, a line in each language's script, and
// a QR code. Name is the printer's, for people.
func TestPage(paper Paper, name string, at time.Time, set *typeset.Setter) ([]byte, error) {
	d := escpos.New(paper.Page)
	d.Align(escpos.Centre)
	d.Bold(true)
	d.Line(clean(name))
	d.Bold(false)
	d.Line(at.In(india()).Format("02 Jan 2006, 15:04:05"))
	d.Align(escpos.Left)
	d.Line(strings.Repeat("1234567890", 1+paper.Columns/10)[:max(paper.Columns, 1)])
	var parts []*escpos.Bitmap
	for _, s := range []string{"English ₹1,23,456.50", "हिन्दी", "मराठी", "বাংলা", "తెలుగు", "தமிழ்"} {
		parts = append(parts, set.Set(s, typeset.Style{Size: bodySize, Align: escpos.Centre}, paper.dots()))
	}
	if err := place(d, append(parts, ruled(paper.dots()))); err != nil {
		return nil, err
	}
	if err := (Receipt{Reference: "GALLA TEST"}).code(d, paper); err != nil {
		return nil, err
	}
	d.Feed(endFeed)
	d.Cut()
	return d.Bytes(), nil
}
