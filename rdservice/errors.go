package rdservice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
)

// Kinds of failure. Each error of a Client wraps exactly one of them, in an
// *Error that names the operation and the address.
var (
	ErrRefused     = errors.New("nothing listens there")
	ErrTimeout     = errors.New("no answer in time")
	ErrCancelled   = errors.New("cancelled")
	ErrBroken      = errors.New("the connection broke before the answer was complete")
	ErrStatus      = errors.New("unexpected HTTP status")
	ErrTooLarge    = errors.New("the answer is too large")
	ErrReply       = errors.New("the answer is no valid RD reply")
	ErrForeignHost = errors.New("the service points to another host")
	ErrNoInterface = errors.New("the service does not offer this")
	ErrBusy        = errors.New("a capture is running on this device already")
	ErrOptions     = errors.New("the capture options are wrong")
	ErrAddress     = errors.New("not an RD service address")
)

// Error is a failed exchange with an RD service. Its text never quotes what
// the service sent.
type Error struct {
	Op      string // discover, device info or capture
	Address string // such as http://127.0.0.1:11100
	Kind    error  // one of the kinds above
	Detail  string // more for the log; may be empty
}

func (e *Error) Error() string {
	s := e.Op + " at " + e.Address + ": " + e.Kind.Error()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap gives the kind, for errors.Is.
func (e *Error) Unwrap() error { return e.Kind }

// replyError is a reply that cannot be used; parsers return it.
func replyError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrReply, fmt.Sprintf(format, args...))
}

// classify turns an error of net/http into a detail and a kind. The texts of
// net/http can quote the peer's bytes, so none of them is passed on.
func classify(ctx context.Context, err error) (detail string, kind error) {
	var op *net.OpError
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return "", ErrCancelled
	case ctx.Err() != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "", ErrTimeout
	case errors.As(err, &op) && op.Op == "dial":
		if op.Timeout() {
			return "connecting", ErrTimeout
		}
		if errors.Is(op.Err, syscall.ECONNRESET) { // something took the call
			return "reset while connecting", ErrBroken
		}
		return op.Err.Error(), ErrRefused
	case strings.Contains(err.Error(), "malformed HTTP"),
		strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return "it is not HTTP", ErrReply
	case errors.As(err, &op):
		return op.Op + ": " + strings.TrimPrefix(op.Err.Error(), op.Op+": "), ErrBroken // the system's error names the call too
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "closed early", ErrBroken
	default:
		return "the HTTP exchange failed", ErrBroken
	}
}
