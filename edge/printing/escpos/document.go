package escpos

import (
	"errors"
	"fmt"
)

// Dots across the paper at the usual 203 dots an inch.
const (
	Dots58 = 384 // 58 mm paper
	Dots80 = 576 // 80 mm paper
)

// Limits of a document.
const (
	// maxQR is the longest text of a QR code, in bytes: references and addresses are far
	// shorter, and denser codes are unreadable on thermal paper.
	maxQR = 300
	// maxFeed is the most lines of one feed; the command has one byte for it.
	maxFeed = 255
	// bandRows is the height of one raster command: on 80 mm paper it has 9 KiB, which the
	// smallest printers' buffers hold.
	bandRows = 128
	// maxRows is the greatest height of a raster, about 60 cm of paper.
	maxRows = 4800
)

// Bounds of QR modules, in dots.
const (
	minModule = 1
	maxModule = 16
)

// Align is the horizontal alignment.
type Align byte

// The alignments, with the numbers of the command.
const (
	Left Align = iota
	Centre
	Right
)

// ErrTooLong says that a text or picture is too large for a receipt printer.
var ErrTooLong = errors.New("too long for a receipt printer")

// Document collects the commands of a print job. Create it with New.
type Document struct{ b []byte }

// New begins a document by resetting the printer and selecting the code page, so that no
// setting of an earlier job remains.
func New() *Document {
	d := &Document{}
	d.put(0x1b, '@')
	d.put(0x1b, 't', pageNumber)
	return d
}

func (d *Document) put(b ...byte) { d.b = append(d.b, b...) }

// Bytes returns the commands so far.
func (d *Document) Bytes() []byte { return append([]byte(nil), d.b...) }

// Line writes a line of text.
func (d *Document) Line(s string) {
	d.put(encode(s)...)
	d.put('\n')
}

// Bold turns emphasis on or off.
func (d *Document) Bold(on bool) { d.put(0x1b, 'E', flag(on)) }

// Align sets the alignment of the following lines, rasters and codes.
func (d *Document) Align(a Align) { d.put(0x1b, 'a', byte(a)) }

// Feed moves the paper by lines; fewer than one is none.
func (d *Document) Feed(lines int) {
	if lines < 1 {
		return
	}
	d.put(0x1b, 'd', byte(min(lines, maxFeed)))
}

// Cut feeds the paper to the cutter and cuts it except for a point, so that the slip does
// not fall. Printers without a cutter only feed.
func (d *Document) Cut() { d.put(0x1d, 'V', 66, 0) }

// QR prints a QR code by the printer's own command, with modules of so many dots and error
// correction M. It fails for an empty text or one longer than 300 bytes (ErrTooLong).
func (d *Document) QR(text string, module int) error {
	if err := qrFits(text, module); err != nil {
		return err
	}
	d.symbol('A', '2', 0)
	d.symbol('C', byte(module))
	d.symbol('E', '1')
	d.symbol('P', append([]byte{'0'}, text...)...)
	d.symbol('Q', '0')
	return nil
}

// symbol writes a function of the command for two-dimensional codes, GS ( k; the command's
// length counts the following bytes.
func (d *Document) symbol(function byte, parameters ...byte) {
	n := len(parameters) + 2
	d.put(0x1d, '(', 'k', byte(n), byte(n>>8), '1', function)
	d.put(parameters...)
}

func qrFits(text string, module int) error {
	switch {
	case text == "":
		return errors.New("a QR code needs a text")
	case len(text) > maxQR:
		return fmt.Errorf("QR code of %d bytes, at most %d fit: %w", len(text), maxQR, ErrTooLong)
	case module < minModule || module > maxModule:
		return fmt.Errorf("QR modules of %d dots: give %d to %d", module, minModule, maxModule)
	}
	return nil
}

// Raster prints a bitmap. It fails if the bitmap is empty, wider than 80 mm paper or
// higher than 4,800 rows (ErrTooLong).
func (d *Document) Raster(m *Bitmap) error {
	if m.Width <= 0 || m.Height <= 0 {
		return errors.New("a raster needs at least one dot")
	}
	if m.Width > Dots80 || m.Height > maxRows {
		return fmt.Errorf("raster of %d × %d dots, at most %d × %d fit: %w", m.Width, m.Height, Dots80, maxRows, ErrTooLong)
	}
	stride := m.stride()
	for y := 0; y < m.Height; y += bandRows {
		rows := min(bandRows, m.Height-y)
		d.put(0x1d, 'v', '0', 0, byte(stride), byte(stride>>8), byte(rows), byte(rows>>8))
		d.put(m.bits[y*stride : (y+rows)*stride]...)
	}
	return nil
}

func flag(on bool) byte {
	if on {
		return 1
	}
	return 0
}
