package edge

import (
	"context"
	"errors"

	"galla/edge/message"
	"galla/shared/op"
	"galla/shared/secret"
)

// errStale says that an operation has moved on since it was looked at. It never
// leaves the package.
var errStale = errors.New("the operation has moved on")

// Capture starts asking for the finger of a reserved operation, and sends the
// operation when it was captured; both in the background, the screen sees how
// far it is. While a capture goes on, another call changes nothing.
func (c *Counter) Capture(id op.ID) error {
	v, err := c.Operation(id)
	if err != nil {
		return err
	}
	if v.State != op.Reserved {
		return nil // a second tab, or a double click: it has gone on
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.life == nil || c.life.Err() != nil {
		return &PrecludedError{"busy", "The program is starting or stopping; try again."}
	}
	w := c.work(id)
	if w.stop != nil || w.abandoned {
		return nil
	}
	take := c.device.Capture
	if d, ok := c.device.(KYCDevice); ok && message.ShapeOf(v.Route).KYC {
		take = d.CaptureKYC
	}
	ctx, stop := context.WithCancel(c.life)
	w.stop, w.stage, w.problem = stop, StageCapturing, nil
	c.jobs.Go(func() {
		defer stop()
		c.capture(ctx, id, w, take)
	})
	return nil
}

// faintBelow is the quality under which the customer is asked once more before
// the bank is: a faint print is what banks refuse most (rdservice.md, 'Quality
// in the field').
const faintBelow = 45

// refuseFaint says that a print is too faint to be sent, where it is the
// operation's first such. Some fingers never read better: the second one goes to
// the bank, which decides.
func (w *work) refuseFaint(quality int) error {
	if w.faint || quality <= 0 || quality >= faintBelow {
		return nil
	}
	w.faint = true
	return &CaptureError{
		Action: "retry-customer", Quality: quality,
		Message: "The fingerprint is faint. Wipe the finger and the glass, press flat, and try again.",
	}
}

// capture asks for the finger and puts the operation into the queue.
func (c *Counter) capture(ctx context.Context, id op.ID, w *work, take func(context.Context) (Capture, error)) {
	c.ring()
	taken, err := take(ctx)
	c.mu.Lock()
	w.stop, w.stage = nil, StageReady
	if err == nil && !w.abandoned {
		err = w.refuseFaint(taken.Quality)
	}
	if w.abandoned || err != nil {
		if problem := (*CaptureError)(nil); errors.As(err, &problem) {
			w.problem = problem
		} else if err != nil {
			w.problem = &CaptureError{Action: "retry-device", Message: "The reader gave no fingerprint. Try again.", Err: err}
		}
		c.mu.Unlock()
		c.ring()
		return
	}
	w.pid, w.stage = taken.PidData, StageSending
	c.mu.Unlock()

	_, err = c.change(id, func(r *Record) error {
		if r.State != op.Reserved {
			return errStale
		}
		now := c.cfg.Now()
		r.State, r.Reason = op.Queued, ""
		r.CapturedAt, r.Quality, r.Deadline = taken.CapturedAt, taken.Quality, now.Add(c.cfg.Deadline)
		if r.CapturedAt.IsZero() {
			r.CapturedAt = now
		}
		return nil
	})
	if err != nil {
		// Not on disk, so not sent.
		c.mu.Lock()
		w.pid, w.stage = secret.PidData{}, StageReady
		w.problem = &CaptureError{Action: "retry-device", Message: "The operation could not be recorded, so it was not sent. No money moved.", Err: err}
		c.mu.Unlock()
		c.ring()
		return
	}
	c.nudge()
}

// Abandon gives an operation up before it was sent. It does nothing to one that
// was sent, and says so with ErrIllegal.
func (c *Counter) Abandon(id op.ID) error {
	return c.giveUp(id, "Given up before it was sent. No money moved.")
}

// giveUp ends an operation that was not sent, for a reason.
func (c *Counter) giveUp(id op.ID, reason string) error {
	c.mu.Lock()
	w := c.works[id]
	c.mu.Unlock()
	_, err := c.change(id, func(r *Record) error {
		if r.State == op.Expired {
			return errStale
		}
		if r.State != op.Reserved && r.State != op.Queued {
			return ErrIllegal
		}
		r.State, r.Reason = op.Expired, reason
		return nil
	})
	if errors.Is(err, errStale) {
		return nil
	}
	if err == nil && w != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		w.abandoned, w.pid, w.otp = true, secret.PidData{}, secret.OTP{}
		if w.stop != nil {
			w.stop()
		}
	}
	return err
}
