package simbank

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maxLatency bounds what POST /control may ask for: longer than any caller
// waits.
const maxLatency = 10 * time.Minute

// Control is how the bank is being disturbed. It does not outlive the process.
type Control struct {
	Down    bool          // connections to the network are refused
	Latency time.Duration // added to every exchange
}

// Change is a change of Control; nil members stay as they are.
type Change struct {
	Down    *bool
	Latency *time.Duration // 0 to 10 minutes
}

// Control tells how the bank is being disturbed.
func (b *Bank) Control() Control {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.control
}

func (b *Bank) setRunning(is bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = is
}

// ChangeControl applies a change. Where Run runs, it returns after the network's
// listener and its connections are closed, or after it listens again; an error
// means that it could not listen and is still down.
func (b *Bank) ChangeControl(ctx context.Context, c Change) error {
	if c.Latency != nil && (*c.Latency < 0 || *c.Latency > maxLatency) {
		return fmt.Errorf("latency %s: must be from 0 to %s", *c.Latency, maxLatency)
	}
	select {
	case b.changing <- struct{}{}: // one change at a time
		defer func() { <-b.changing }()
	case <-ctx.Done():
		return fmt.Errorf("change the control: %w", ctx.Err())
	}
	b.mu.Lock()
	if c.Latency != nil {
		b.control.Latency = *c.Latency
	}
	if c.Down != nil && *c.Down {
		b.control.Down = true // before the listener closes, for connections that are open
	}
	running := b.running
	b.mu.Unlock()
	if c.Down == nil {
		return nil
	}
	if running {
		if err := b.switchNetwork(ctx, *c.Down); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.control.Down = *c.Down
	b.wakeNotifier()
	return nil
}

// switchNetwork has the network's listener opened or closed.
func (b *Bank) switchNetwork(ctx context.Context, down bool) error {
	o := listenerCommand{down: down, done: make(chan error, 1)}
	select {
	case b.listenerCommands <- o:
	case <-ctx.Done():
		return fmt.Errorf("turn the network %s: %w", upOrDown(down), ctx.Err())
	}
	select {
	case err := <-o.done:
		if err != nil {
			return fmt.Errorf("turn the network %s: %w", upOrDown(down), err)
		}
		b.log.Info("network turned " + upOrDown(down))
		return nil
	case <-ctx.Done():
		return errors.Join(errors.New("the network did not turn "+upOrDown(down)), ctx.Err())
	}
}

func upOrDown(down bool) string {
	if down {
		return "down"
	}
	return "up"
}
