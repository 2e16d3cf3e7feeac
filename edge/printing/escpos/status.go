package escpos

import (
	"errors"
	"fmt"
)

// Query is one of the printer's status bytes.
type Query byte

// The status bytes, with the numbers of the command DLE EOT.
const (
	AskPrinter Query = 1
	AskOffline Query = 2
	AskPaper   Query = 4
)

// Ask is the command that queries a status byte; a printer answers it at once, even while
// offline.
func Ask(q Query) []byte { return []byte{0x10, 0x04, byte(q)} }

// Status is a printer's reported state.
type Status struct {
	Offline   bool // it accepts no jobs
	CoverOpen bool
	PaperOut  bool
	PaperLow  bool
	Fault     bool // of cutter, head or voltage: needs a person
}

// ErrNoStatus says that a byte is not an answer to a status query.
var ErrNoStatus = errors.New("not a status of a printer")

// Bits of status bytes. In each byte, the bits of fixed must equal mark.
const (
	statusMask = 0b1001_0011
	statusMark = 0b0001_0010

	bitOffline   = 1 << 3
	bitCover     = 1 << 2
	bitPaperStop = 1 << 5
	bitFault     = 1 << 6
	bitsLow      = 1<<2 | 1<<3
	bitsOut      = 1<<5 | 1<<6
)

// Read adds the answer to a query to the status. A byte with wrong fixed bits is
// ErrNoStatus and changes nothing.
func (s *Status) Read(q Query, b byte) error {
	if b&statusMask != statusMark {
		return fmt.Errorf("printer answered %#02x to status query %d: %w", b, q, ErrNoStatus)
	}
	switch q {
	case AskPrinter:
		s.Offline = s.Offline || b&bitOffline != 0
	case AskOffline:
		s.CoverOpen = b&bitCover != 0
		s.PaperOut = s.PaperOut || b&bitPaperStop != 0
		s.Fault = b&bitFault != 0
	case AskPaper:
		s.PaperLow = b&bitsLow != 0
		s.PaperOut = s.PaperOut || b&bitsOut != 0
	default:
		return fmt.Errorf("status query %d is not known: ask for 1, 2 or 4", q)
	}
	return nil
}
