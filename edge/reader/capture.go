package reader

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"galla/edge"
	"galla/rdservice"
)

// ErrAbsent is the cause of a CaptureError where no service was found.
var ErrAbsent = errors.New("no RD service was found")

// Capture asks for one finger and returns when the reader has answered, after the
// customer's time and a few seconds, or when ctx ends. If no READY reader is known
// it scans once first. It fails with *edge.CaptureError, whose cause is a *Refusal,
// ErrAbsent, or an error of rdservice such as ErrBusy, ErrTimeout and ErrCancelled.
func (d *Reader) Capture(ctx context.Context) (edge.Capture, error) { return d.capture(ctx, "") }

// CaptureKYC is Capture for an e-KYC step: the capture is bound to such a step by
// its wadh, inside the sealed block.
func (d *Reader) CaptureKYC(ctx context.Context) (edge.Capture, error) {
	return d.capture(ctx, rdservice.WadhEKYC)
}

func (d *Reader) capture(ctx context.Context, wadh string) (edge.Capture, error) {
	if !d.beginCapture() {
		return edge.Capture{}, captureUnanswered(fmt.Errorf("capture: %w", rdservice.ErrBusy))
	}
	d.notify()
	defer d.endCapture()
	select {
	case d.serviceLock <- struct{}{}:
		defer func() { <-d.serviceLock }()
	case <-ctx.Done():
		return edge.Capture{}, d.logFailure(captureUnanswered(contextError(ctx)))
	}
	began := time.Now()
	got, err := d.captureOnce(ctx, wadh)
	if err != nil {
		return edge.Capture{}, d.logFailure(err)
	}
	quality, _ := got.Reply.Quality()
	d.log.Info("finger captured", "address", got.Address, "quality", quality, "bytes", got.PidData.Len(),
		"attempts", got.Attempts, "took", time.Since(began).Round(time.Millisecond))
	return edge.Capture{
		PidData:    got.PidData,
		CapturedAt: got.Reply.CapturedAt,
		Quality:    quality,
	}, nil
}

// beginCapture reserves the reader for one capture, and cancels a running scan;
// false: another capture is running.
func (d *Reader) beginCapture() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.capturing {
		return false
	}
	d.capturing = true
	if d.cancelScan != nil {
		d.cancelScan()
	}
	return true
}

// endCapture releases the reader, and asks Run for a scan: the reader may be gone or
// replaced.
func (d *Reader) endCapture() {
	d.mu.Lock()
	d.capturing = false
	d.mu.Unlock()
	d.requestScan()
	d.notify()
}

// captureOnce finds the reader and asks it for a finger. The caller holds the lock.
func (d *Reader) captureOnce(ctx context.Context, wadh string) (rdservice.Capture, *edge.CaptureError) {
	s, looked, problem := d.currentService(ctx)
	if problem != nil {
		return rdservice.Capture{}, problem
	}
	options := rdservice.Options{Fingers: 1, Timeout: d.timeout, Wadh: wadh}
	got, err := d.client.Capture(ctx, s, options)
	if errors.Is(err, rdservice.ErrRefused) && !looked {
		// Nothing listens there any more, so nothing was asked.
		if s, problem = d.scanForService(ctx); problem != nil {
			return rdservice.Capture{}, problem
		}
		got, err = d.client.Capture(ctx, s, options)
	}
	if err != nil {
		d.markStale(err)
		return rdservice.Capture{}, captureUnanswered(err)
	}
	if problem := d.checkOrigin(got); problem != nil {
		d.markStale(ErrOtherReader)
		return rdservice.Capture{}, problem
	}
	d.mu.Lock()
	d.last = s.Address
	d.mu.Unlock()
	if !got.Judgement.Usable {
		return rdservice.Capture{}, captureRefused(got, d.captureMayRun())
	}
	return got, nil
}

// markStale records that a capture had no answer: the state is unreliable until the
// next scan, and the service may go on for the customer's time.
func (d *Reader) markStale(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stale = true
	if errors.Is(err, rdservice.ErrCancelled) || errors.Is(err, rdservice.ErrTimeout) {
		d.captureRunsUntil = time.Now().Add(cmp.Or(d.timeout, rdservice.DefaultTimeout))
	}
}

// captureMayRun reports whether a cancelled capture may still be running.
func (d *Reader) captureMayRun() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().Before(d.captureRunsUntil)
}

// currentService returns the known reader, or scans where it was not READY or a
// capture had no answer since.
func (d *Reader) currentService(ctx context.Context) (s rdservice.Service, looked bool, problem *edge.CaptureError) {
	d.mu.Lock()
	s, ready := d.service, d.state.Status == statusReady && !d.stale
	d.mu.Unlock()
	if ready {
		return s, false, nil
	}
	s, problem = d.scanForService(ctx)
	return s, true, problem
}

func (d *Reader) scanForService(ctx context.Context) (rdservice.Service, *edge.CaptureError) {
	if err := d.scan(ctx); err != nil {
		return rdservice.Service{}, captureUnanswered(contextError(ctx))
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

// contextError returns the end of ctx as an error of rdservice.
func contextError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("scan for the reader: %w", rdservice.ErrTimeout)
	}
	return fmt.Errorf("scan for the reader: %w", rdservice.ErrCancelled)
}

// logFailure records a failed capture; it is no error of the program.
func (d *Reader) logFailure(problem *edge.CaptureError) error {
	d.log.Info("no capture", "code", problem.Code, "action", problem.Action, "cause", problem.Err)
	return problem
}
