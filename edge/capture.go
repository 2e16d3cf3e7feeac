package edge

import (
	"context"
	"errors"
	"time"

	"galla/edge/api"
	"galla/shared/op"
	"galla/shared/secret"
)

// errStale reports that an operation changed since it was read. It never leaves
// the package.
var errStale = errors.New("the operation has changed")

// Capture starts the fingerprint capture of a reserved operation and returns at
// once. A captured operation is queued and sent. While a capture is running,
// another call changes nothing. It fails with *PreconditionError.
func (c *Counter) Capture(id op.ID) error {
	v, err := c.Operation(id)
	if err != nil {
		return err
	}
	if v.State != op.Reserved {
		return nil // a second tab, or a double click
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runCtx == nil || c.runCtx.Err() != nil {
		return &PreconditionError{Code: PreconditionBusy}
	}
	w := c.pendingOf(id)
	if w.cancelCapture != nil || w.cancelled || w.captured != nil {
		return nil
	}
	take := c.reader.Capture
	if d, ok := c.reader.(KYCReader); ok && api.SpecOf(v.Route).KYC {
		take = d.CaptureKYC
	}
	ctx, stop := context.WithCancel(c.runCtx)
	w.cancelCapture, w.stage, w.problem = stop, StageCapturing, nil
	c.jobs.Go(func() {
		defer stop()
		c.capture(ctx, id, w, take)
	})
	return nil
}

// faintBelow is the quality (qScore, 0 to 100) below which the customer is asked
// for the finger once more: banks refuse faint prints most often (rdservice.md,
// 'Quality in the field').
const faintBelow = 45

// rejectFaint refuses the first print of an operation that is too faint to be
// sent. Some fingers never read better, so the bank decides on the second one.
func (w *pendingState) rejectFaint(quality int) error {
	if w.faintRetried || quality <= 0 || quality >= faintBelow {
		return nil
	}
	w.faintRetried = true
	return &CaptureError{
		Action: "retry-customer", Quality: quality,
		Message: "The fingerprint is faint. Wipe the finger and the glass, press flat, and try again.",
	}
}

// captureFacts are what a record holds of its capture.
type captureFacts struct {
	at       time.Time
	quality  int
	deadline time.Time
}

func (f *captureFacts) setIn(r *Record) {
	r.Reason, r.CapturedAt, r.Quality, r.Deadline = ReasonNone, f.at, f.quality, f.deadline
}

// capture asks for the finger and leaves the rest to the pump.
func (c *Counter) capture(ctx context.Context, id op.ID, w *pendingState, take func(context.Context) (Capture, error)) {
	c.notifySubscribers()
	taken, err := take(ctx)
	c.mu.Lock()
	w.cancelCapture, w.stage = nil, StageReady
	if err == nil && !w.cancelled {
		err = w.rejectFaint(taken.Quality)
	}
	if w.cancelled || err != nil {
		if problem := (*CaptureError)(nil); errors.As(err, &problem) {
			w.problem = problem
		} else if err != nil {
			w.problem = &CaptureError{Action: "retry-device", Message: "The reader gave no fingerprint. Try again.", Err: err}
		}
		c.mu.Unlock()
		c.notifySubscribers()
		return
	}
	now := c.cfg.Now()
	if taken.CapturedAt.IsZero() {
		taken.CapturedAt = now
	}
	w.captured = &captureFacts{at: taken.CapturedAt, quality: taken.Quality, deadline: now.Add(sendWithin)}
	w.pid, w.stage = taken.PidData, StageSending
	c.mu.Unlock()
	c.wakePump()
}

// capturedOf returns the capture of a reserved operation; nil: there is none yet.
func (c *Counter) capturedOf(id op.ID) *captureFacts {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.pending[id]; w != nil {
		return w.captured
	}
	return nil
}

// queueCaptured records that a captured operation waits to be sent.
func (c *Counter) queueCaptured(id op.ID, captured *captureFacts) {
	_, err := c.change(id, func(r *Record) error {
		if r.State != op.Reserved {
			return errStale
		}
		r.State = op.Queued
		captured.setIn(r)
		return nil
	})
	c.dropUnrecorded(id, err)
}

// dropUnrecorded drops a capture that could not be recorded: it is not on disk, so it
// is not sent.
func (c *Counter) dropUnrecorded(id op.ID, err error) {
	if err == nil {
		return
	}
	c.mu.Lock()
	if w := c.pending[id]; w != nil {
		w.pid, w.captured, w.stage = secret.PidData{}, nil, StageReady
		w.problem = &CaptureError{Action: "retry-device", Message: "The operation could not be recorded, so it was not sent. No money moved.", Err: err}
	}
	c.mu.Unlock()
	c.notifySubscribers()
}

// Cancel expires an operation that was not sent. It fails with ErrIllegal when
// the operation was sent.
func (c *Counter) Cancel(id op.ID) error {
	return c.expire(id, ReasonCancelled)
}

func (c *Counter) expire(id op.ID, reason Reason) error {
	c.mu.Lock()
	w := c.pending[id]
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
		w.cancelled, w.captured, w.pid, w.otp = true, nil, secret.PidData{}, secret.OTP{}
		if w.cancelCapture != nil {
			w.cancelCapture()
		}
	}
	return err
}
