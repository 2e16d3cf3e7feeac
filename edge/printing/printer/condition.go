package printer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"galla/edge/printing/escpos"
)

// Condition is the state of a printer.
type Condition string

// The conditions of a printer.
const (
	Unknown   Condition = "unknown"   // not queried yet
	Ready     Condition = "ready"     // it reports that it would print
	PaperLow  Condition = "paperlow"  // it prints, and the paper ends soon
	Silent    Condition = "silent"    // connected, but never answers; many do not
	PaperOut  Condition = "paperout"  // no paper
	CoverOpen Condition = "coveropen" // the cover is open
	Offline   Condition = "offline"   // accepts no jobs, for another reason
	Fault     Condition = "fault"     // cutter, head or power
	Garbled   Condition = "garbled"   // its answers are no status
	Stalled   Condition = "stalled"   // it accepts no bytes
	InUse     Condition = "in-use"    // another program has its port open
	Unplugged Condition = "unplugged" // it can't be opened, or disconnected
)

// Prints reports whether a job may be sent.
func (c Condition) Prints() bool { return c == Ready || c == PaperLow || c == Silent }

// advice is what to do in a condition.
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
	case InUse:
		return "is held by another program: close that program, then print again"
	case Unplugged:
		return "can't be reached: check power, cable and address"
	}
	return "is " + string(c)
}

// ConditionError says why a printer does not print.
type ConditionError struct {
	Condition Condition
	Err       error // the cause, if any
}

// Error says what is wrong and what to do.
func (t *ConditionError) Error() string {
	if t.Err != nil {
		return fmt.Sprintf("printer %s (%v)", t.Condition.advice(), t.Err)
	}
	return "printer " + t.Condition.advice()
}

// Unwrap is the cause.
func (t *ConditionError) Unwrap() error { return t.Err }

func conditionError(c Condition, err error) error { return &ConditionError{Condition: c, Err: err} }

// conditionOf returns the condition of an error of this package.
func conditionOf(err error) Condition {
	var t *ConditionError
	switch {
	case errors.As(err, &t):
		return t.Condition
	case errors.Is(err, context.Canceled):
		return Unknown
	}
	return Unplugged
}

// channel is an open connection to a printer. Deadlines also affect running calls.
type channel interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// write sends a chunk, and stops when it stalls or ctx ends.
func (p timeouts) write(ctx context.Context, l channel, b []byte) error {
	if err := l.SetWriteDeadline(time.Now().Add(p.stall)); err != nil {
		return conditionError(Unplugged, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = l.SetWriteDeadline(time.Unix(1, 0)) }) // the write reports it
	defer stop()
	_, err := l.Write(b)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return conditionError(Stalled, nil)
	}
	return conditionError(Unplugged, err)
}

// maxNoise is how many other bytes are skipped in one answer: some printers send automatic
// status and flow control.
const maxNoise = 64

// ask returns the printer's condition, with a *ConditionError if it would not print. If
// ctx is cancelled, the condition is Unknown, with the context's error.
func (p timeouts) ask(ctx context.Context, l channel) (Condition, error) {
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
			return Unplugged, conditionError(Unplugged, err)
		case noise > 0:
			return Garbled, conditionError(Garbled, nil)
		case q == escpos.AskPrinter:
			return Silent, nil
		default: // cheap printers answer the first query only
			return conditionFor(s)
		}
	}
	return conditionFor(s)
}

// read reads until a status byte arrives, and returns the number of other bytes.
func (p timeouts) read(ctx context.Context, l channel, q escpos.Query, s *escpos.Status) (noise int, err error) {
	if err := l.SetReadDeadline(time.Now().Add(p.answer)); err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = l.SetReadDeadline(time.Unix(1, 0)) }) // the read reports it
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

// Flow control bytes, which printers send by themselves.
const (
	xon  = 0x11
	xoff = 0x13
)

// conditionFor returns the condition of a status; a cause that a person can fix comes
// before its consequences.
func conditionFor(s escpos.Status) (Condition, error) {
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
	return c, conditionError(c, nil)
}
