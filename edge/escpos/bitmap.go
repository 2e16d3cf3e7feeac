package escpos

import (
	"fmt"
	"image"
	"image/color"

	"github.com/skip2/go-qrcode"
)

// Bitmap is a picture of black dots on white paper. It is an image.Image, too,
// so that it can be looked at.
type Bitmap struct {
	Width, Height int // dots
	bits          []byte
}

// NewBitmap makes a white bitmap; sizes below zero are taken for zero.
func NewBitmap(width, height int) *Bitmap {
	m := &Bitmap{Width: max(width, 0), Height: max(height, 0)}
	m.bits = make([]byte, m.stride()*m.Height)
	return m
}

func (m *Bitmap) stride() int { return (m.Width + 7) / 8 }

func (m *Bitmap) holds(x, y int) bool { return x >= 0 && y >= 0 && x < m.Width && y < m.Height }

// Set blackens a dot; one outside the bitmap is left out.
func (m *Bitmap) Set(x, y int) {
	if m.holds(x, y) {
		m.bits[y*m.stride()+x/8] |= 0x80 >> (x % 8)
	}
}

// Black tells whether a dot is black; outside the bitmap none is.
func (m *Bitmap) Black(x, y int) bool {
	return m.holds(x, y) && m.bits[y*m.stride()+x/8]&(0x80>>(x%8)) != 0
}

// Draw blackens the dots of another bitmap, its left upper corner at x and y.
func (m *Bitmap) Draw(o *Bitmap, x, y int) {
	for oy := range o.Height {
		for ox := range o.Width {
			if o.Black(ox, oy) {
				m.Set(x+ox, y+oy)
			}
		}
	}
}

// ColorModel is grey.
func (m *Bitmap) ColorModel() color.Model { return color.GrayModel }

// Bounds is the whole bitmap.
func (m *Bitmap) Bounds() image.Rectangle { return image.Rect(0, 0, m.Width, m.Height) }

// At is black or white.
func (m *Bitmap) At(x, y int) color.Color {
	if m.Black(x, y) {
		return color.Gray{Y: 0}
	}
	return color.Gray{Y: 0xff}
}

// QRBitmap draws a QR code with modules of so many dots and its quiet zone, for
// printers without a command for it. It fails where QR does.
func QRBitmap(text string, module int) (*Bitmap, error) {
	if err := qrFits(text, module); err != nil {
		return nil, err
	}
	code, err := qrcode.New(text, qrcode.Medium)
	if err != nil {
		return nil, fmt.Errorf("QR code can't be drawn: %w", err)
	}
	squares := code.Bitmap()
	m := NewBitmap(len(squares)*module, len(squares)*module)
	for y := range m.Height {
		for x := range m.Width {
			if squares[y/module][x/module] {
				m.Set(x, y)
			}
		}
	}
	return m, nil
}
