package escpos

import "galla/shared/theme"

// Bitmap is a picture of black dots on white.
type Bitmap struct {
	Width, Height int // dots
	bits          []byte
}

// NewBitmap makes a white bitmap; negative sizes become zero.
func NewBitmap(width, height int) *Bitmap {
	m := &Bitmap{Width: max(width, 0), Height: max(height, 0)}
	m.bits = make([]byte, m.stride()*m.Height)
	return m
}

func (m *Bitmap) stride() int { return (m.Width + 7) / 8 }

func (m *Bitmap) contains(x, y int) bool { return x >= 0 && y >= 0 && x < m.Width && y < m.Height }

// Set blackens a dot; one outside the bitmap is ignored.
func (m *Bitmap) Set(x, y int) {
	if m.contains(x, y) {
		m.bits[y*m.stride()+x/8] |= 0x80 >> (x % 8)
	}
}

// Black reports whether a dot is black; outside the bitmap none is.
func (m *Bitmap) Black(x, y int) bool {
	return m.contains(x, y) && m.bits[y*m.stride()+x/8]&(0x80>>(x%8)) != 0
}

// QRBitmap draws a QR code with modules of so many dots and its quiet zone, for printers
// without a command for it. It fails for an empty or too long text (ErrTooLong).
func QRBitmap(text string, module int) (*Bitmap, error) {
	if err := qrFits(text, module); err != nil {
		return nil, err
	}
	squares, err := theme.QRModules(text)
	if err != nil {
		return nil, err
	}
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
