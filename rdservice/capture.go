package rdservice

import (
	"context"
	"time"

	"galla/shared/secret"
)

// MaxAge is how old a capture may be. A fresh one is seconds old, and
// device and counter share a computer, so two minutes allow for a clock that
// is set meanwhile and for nothing else.
const MaxAge = 2 * time.Minute

// captureGrace is how much longer than the person's own time the client waits:
// the service answers 700 by itself first, or seals and sends what it has.
const captureGrace = 5 * time.Second

// A service that answers 'still starting' is asked again (rdservice.md).
const (
	startingCode  = "-1509"
	startingTries = 3
	startingPause = 1500 * time.Millisecond
)

// Judgement is what to make of a capture or a failure.
type Judgement struct {
	Action Action
	// Usable: the PidData may be sent. A capture of low quality is usable,
	// though its Action asks for another try.
	Usable bool
	Sentence
}

// Capture is the answer to one CAPTURE, judged.
type Capture struct {
	Address   string
	Reply     PidReply
	PidData   secret.PidData // byte for byte as it was sent; empty unless the reply says that it captured
	Judgement Judgement
	Attempts  int // 1, and one more for each 'still starting'
}

// Summary is what may be shown of a capture, in the form of `galla-edge capture
// --json` (sandbox.md). It has no personal data.
type Summary struct {
	ErrCode    string     `json:"errCode"`
	ErrInfo    string     `json:"errInfo"`
	QScore     *int       `json:"qScore"`     // as sent, lowest of all fingers; null: not reported
	NmPoints   *int       `json:"nmPoints"`   // lowest of all fingers; null: not reported
	CapturedAt *time.Time `json:"capturedAt"` // null where nothing was captured
	Bytes      int        `json:"bytes"`      // length of PidData
	Action     Action     `json:"action"`
}

// Summary leaves out everything that must not be shown.
func (c Capture) Summary() Summary {
	s := Summary{
		ErrCode: c.Reply.ErrCode, ErrInfo: c.Reply.ErrInfo,
		Bytes: c.PidData.Len(), Action: c.Judgement.Action,
	}
	if n, ok := c.Reply.QScore.Lowest(); ok {
		s.QScore = &n
	}
	if n, ok := c.Reply.NmPoints.Lowest(); ok {
		s.NmPoints = &n
	}
	if at := c.Reply.CapturedAt; !at.IsZero() {
		s.CapturedAt = &at
	}
	return s
}

// Capture asks a discovered service for a biometric and judges the answer. It
// returns when the service has answered, when the person's time and a few
// seconds are over (ErrTimeout), or when ctx ends (ErrCancelled; the service may
// go on until its own time is over).
//
// An answer that reports an error of the device is no error of this method: it
// is a Capture whose Judgement is not usable. Errors are ErrOptions, ErrAddress
// or an *Error; ErrBusy where this client is capturing on the device already, be
// it through another of its addresses.
func (c *Client) Capture(ctx context.Context, s Service, o Options) (Capture, error) {
	if err := o.Validate(); err != nil {
		return Capture{}, err
	}
	u, err := checkTarget(opCapture, s.Address, s.CapturePath)
	if err != nil {
		return Capture{}, err
	}
	body, err := o.XML()
	if err != nil {
		return Capture{}, err
	}
	if !c.acquire(u, s) {
		return Capture{}, &Error{Op: opCapture, Address: u.String(), Kind: ErrBusy}
	}
	defer c.release(u)
	x := exchange{
		op: opCapture, method: methodCapture, base: u, path: s.CapturePath, body: body,
		wait: o.withDefaults().Timeout + captureGrace,
	}
	for attempt := 1; ; attempt++ {
		raw, err := c.clients.do(ctx, x)
		if err != nil {
			return Capture{}, err
		}
		reply, err := ParsePidData(raw)
		if err != nil {
			return Capture{}, parseFailure(opCapture, u, err)
		}
		if reply.ErrCode == startingCode && attempt <= startingTries {
			if err := pause(ctx, startingPause); err != nil {
				detail, kind := classify(ctx, err)
				return Capture{}, &Error{Op: opCapture, Address: u.String(), Kind: kind, Detail: detail}
			}
			continue
		}
		done := Capture{Address: u.String(), Reply: reply, Attempts: attempt}
		done.Judgement = Judge(o.Family(), reply, time.Now())
		if reply.OK() {
			done.PidData = secret.NewPidData(string(raw))
		}
		return done, nil
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
