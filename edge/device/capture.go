package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"galla/edge"
	"galla/rdservice"
	"galla/shared/secret"
)

// ErrAbsent is the cause of a CaptureError where no service was found.
var ErrAbsent = errors.New("no RD service was found")

// Capture asks for one finger and returns when the reader has answered, when
// the customer's time and a few seconds are over, or when ctx ends. Where no
// READY reader is known it looks once first. Errors are *edge.CaptureError; the
// cause is a *Refusal, ErrAbsent, or an error of rdservice such as ErrBusy,
// ErrTimeout and ErrCancelled.
func (d *Device) Capture(ctx context.Context) (edge.Capture, error) { return d.capture(ctx, "") }

// CaptureKYC is Capture for an e-KYC step: what it gives is bound to such a step
// by its wadh, inside the sealed block.
func (d *Device) CaptureKYC(ctx context.Context) (edge.Capture, error) {
	return d.capture(ctx, rdservice.WadhEKYC)
}

func (d *Device) capture(ctx context.Context, wadh string) (edge.Capture, error) {
	if !d.begin() {
		return edge.Capture{}, unanswered(fmt.Errorf("capture: %w", rdservice.ErrBusy))
	}
	d.changed()
	defer d.end()
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return edge.Capture{}, d.fail(unanswered(ended(ctx)))
	}
	began := time.Now()
	got, err := d.ask(ctx, wadh)
	if err != nil {
		return edge.Capture{}, d.fail(err)
	}
	quality, _ := got.Reply.Quality()
	d.log.Info("finger captured", "address", got.Address, "quality", quality, "bytes", got.PidData.Len(),
		"attempts", got.Attempts, "took", time.Since(began).Round(time.Millisecond))
	return edge.Capture{
		PidData:    secret.NewPidData(string(got.PidData.Reveal())),
		CapturedAt: got.Reply.CapturedAt,
		Quality:    quality,
	}, nil
}

// begin takes the device for one capture, and ends a look that is under way;
// false: another capture runs.
func (d *Device) begin() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.capturing {
		return false
	}
	d.capturing = true
	if d.stopLook != nil {
		d.stopLook()
	}
	return true
}

// end gives the device back, and has Run look: the reader may be gone, or
// another one be there.
func (d *Device) end() {
	d.mu.Lock()
	d.capturing = false
	d.mu.Unlock()
	select {
	case d.look <- struct{}{}:
	default: // asked for already
	}
	d.changed()
}

// ask finds the reader and asks it for a finger. The turn is held.
func (d *Device) ask(ctx context.Context, wadh string) (rdservice.Capture, *edge.CaptureError) {
	s, looked, problem := d.reader(ctx)
	if problem != nil {
		return rdservice.Capture{}, problem
	}
	options := rdservice.Options{Fingers: 1, Timeout: d.timeout, Wadh: wadh}
	got, err := d.client.Capture(ctx, s, options)
	if errors.Is(err, rdservice.ErrRefused) && !looked {
		// Nothing listens there any more, so nothing was asked.
		if s, problem = d.find(ctx); problem != nil {
			return rdservice.Capture{}, problem
		}
		got, err = d.client.Capture(ctx, s, options)
	}
	if err != nil {
		d.lose(err)
		return rdservice.Capture{}, unanswered(err)
	}
	if problem := d.foreign(got); problem != nil {
		d.lose(ErrOther)
		return rdservice.Capture{}, problem
	}
	d.mu.Lock()
	d.last = s.Address
	d.mu.Unlock()
	if !got.Judgement.Usable {
		return rdservice.Capture{}, failed(got, d.isEnding())
	}
	return got, nil
}

// lose notes that a capture had no answer: the state is not to be trusted until
// the next look, and a service whose client went may go on for the customer's
// time.
func (d *Device) lose(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unsure = true
	if errors.Is(err, rdservice.ErrCancelled) || errors.Is(err, rdservice.ErrTimeout) {
		d.abandoned = time.Now().Add(cmp.Or(d.timeout, rdservice.DefaultTimeout))
	}
}

// isEnding tells whether a capture that was given up may still run.
func (d *Device) isEnding() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().Before(d.abandoned)
}

// reader gives the reader as it is known, or looks for it where it was not
// READY, or a capture had no answer since.
func (d *Device) reader(ctx context.Context) (s rdservice.Service, looked bool, problem *edge.CaptureError) {
	d.mu.Lock()
	s, ready := d.service, d.state.Status == statusReady && !d.unsure
	d.mu.Unlock()
	if ready {
		return s, false, nil
	}
	s, problem = d.find(ctx)
	return s, true, problem
}

// find looks once.
func (d *Device) find(ctx context.Context) (rdservice.Service, *edge.CaptureError) {
	if err := d.refresh(ctx); err != nil {
		return rdservice.Service{}, unanswered(ended(ctx))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.service.Address == "" {
		return rdservice.Service{}, &edge.CaptureError{
			Action: string(rdservice.RetryDevice), Message: d.state.Problem, Err: ErrAbsent,
		}
	}
	return d.service, nil
}

// ended says how ctx ended, in rdservice's kinds.
func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("look for the reader: %w", rdservice.ErrTimeout)
	}
	return fmt.Errorf("look for the reader: %w", rdservice.ErrCancelled)
}

// fail records a failed capture; it is no error of the program.
func (d *Device) fail(problem *edge.CaptureError) error {
	d.log.Info("no capture", "code", problem.Code, "action", problem.Action, "cause", problem.Err)
	return problem
}
