package printer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"galla/edge/escpos"
)

// Condition is how the printer is.
type Condition string

// The conditions of a printer.
const (
	Unknown   Condition = "unknown"   // not looked at yet
	Ready     Condition = "ready"     // it says that it would print
	PaperLow  Condition = "paperlow"  // it prints, and paper ends soon
	Silent    Condition = "silent"    // it is there, and never answers; many do not
	PaperOut  Condition = "paperout"  // it has no paper
	CoverOpen Condition = "coveropen" // its cover is open
	Offline   Condition = "offline"   // it takes no jobs, for another reason
	Fault     Condition = "fault"     // cutter, head or power
	Garbled   Condition = "garbled"   // what it answers is no status
	Stalled   Condition = "stalled"   // it takes no bytes
	Taken     Condition = "taken"     // another program holds its port
	Unplugged Condition = "unplugged" // it can't be opened or went away
)

// Prints tells whether a job is worth sending.
func (c Condition) Prints() bool { return c == Ready || c == PaperLow || c == Silent }

// advice is what to do, by condition.
func (c Condition) advice() string {
	switch c {
	case PaperOut:
		return "has no paper: put in a roll, then print again"
	case CoverOpen:
		return "has its cover open: close it, then print again"
	case Offline:
		return "is offline: press its feed or online button, then print again"
	case Fault:
		return "reports a fault of cutter, head or power: switch it off and on, then print again"
	case Garbled:
		return "answers what no receipt printer says: check the speed (baud) and that the address is the printer's"
	case Stalled:
		return "takes no data: check paper and cable, switch it off and on, then print again"
	case Taken:
		return "is held by another program: close that program, then print again"
	case Unplugged:
		return "can't be reached: check power, cable and address"
	}
	return "is " + string(c)
}

// Trouble is why a printer does not print.
type Trouble struct {
	Condition Condition
	Err       error // the cause, where there is one
}

// Error says what is wrong and what to do.
func (t *Trouble) Error() string {
	if t.Err != nil {
		return fmt.Sprintf("printer %s (%v)", t.Condition.advice(), t.Err)
	}
	return "printer " + t.Condition.advice()
}

// Unwrap is the cause.
func (t *Trouble) Unwrap() error { return t.Err }

func trouble(c Condition, err error) error { return &Trouble{Condition: c, Err: err} }

// conditionOf is the condition that an error of this package speaks of.
func conditionOf(err error) Condition {
	var t *Trouble
	switch {
	case errors.As(err, &t):
		return t.Condition
	case errors.Is(err, context.Canceled):
		return Unknown
	}
	return Unplugged
}

// link is an open channel to a printer. Deadlines hold for calls under way.
type link interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// write sends a piece, and breaks off when it stalls or ctx ends.
func (p pace) write(ctx context.Context, l link, b []byte) error {
	if err := l.SetWriteDeadline(time.Now().Add(p.stall)); err != nil {
		return trouble(Unplugged, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = l.SetWriteDeadline(time.Unix(1, 0)) }) // the write then tells
	defer stop()
	_, err := l.Write(b)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return trouble(Stalled, nil)
	}
	return trouble(Unplugged, err)
}

// maxNoise is how many bytes that are no status are passed over in one answer:
// automatic status and flow control of some makers come between.
const maxNoise = 64

// ask gives the printer's condition, with a *Trouble where it would not print.
// Where ctx is cancelled it is Unknown, with the context's error.
func (p pace) ask(ctx context.Context, l link) (Condition, error) {
	var s escpos.Status
	for _, q := range []escpos.Query{escpos.AskPrinter, escpos.AskOffline, escpos.AskPaper} {
		if err := p.write(ctx, l, escpos.Ask(q)); err != nil {
			return conditionOf(err), err
		}
		noise, err := p.read(ctx, l, q, &s)
		switch {
		case errors.Is(ctx.Err(), context.Canceled):
			return Unknown, ctx.Err()
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return Unplugged, trouble(Unplugged, err)
		case noise > 0:
			return Garbled, trouble(Garbled, nil)
		case q == escpos.AskPrinter:
			return Silent, nil
		default: // it answers the first query only, as cheap printers do
			return judge(s)
		}
	}
	return judge(s)
}

// read reads until a status byte comes; it gives the number of other bytes.
func (p pace) read(ctx context.Context, l link, q escpos.Query, s *escpos.Status) (noise int, err error) {
	if err := l.SetReadDeadline(time.Now().Add(p.answer)); err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = l.SetReadDeadline(time.Unix(1, 0)) }) // the read then tells
	defer stop()
	var b [1]byte
	for noise <= maxNoise {
		n, err := l.Read(b[:])
		if n == 1 {
			if s.Read(q, b[0]) == nil {
				return noise, nil
			}
			if b[0] != xon && b[0] != xoff {
				noise++
			}
			continue
		}
		if err != nil {
			return noise, err
		}
	}
	return noise, os.ErrDeadlineExceeded
}

// Flow control bytes, which printers send unasked.
const (
	xon  = 0x11
	xoff = 0x13
)

// judge gives the condition that a status means; the cause that a person can
// mend comes before its consequence.
func judge(s escpos.Status) (Condition, error) {
	c := Ready
	switch {
	case s.CoverOpen:
		c = CoverOpen
	case s.PaperOut:
		c = PaperOut
	case s.Fault:
		c = Fault
	case s.Offline:
		c = Offline
	case s.PaperLow:
		return PaperLow, nil
	default:
		return c, nil
	}
	return c, trouble(c, nil)
}
