package uplink

import (
	"context"
	"encoding/binary"
	"io"
	"slices"
	"time"
)

// clockCheck detects that the computer's clock was set while connected: it
// compares the clock's time with the monotonic time.
type clockCheck struct {
	own time.Time // the counter's clock at the hello
	at  time.Time // the same moment, monotonic
}

// maxJump is how far the clock may go astray before the offset is measured
// again. Deadlines are of 90 s, and clocks that are being slewed lose 2 s an
// hour.
const maxJump = 5 * time.Second

func (m clockCheck) jumped(own time.Time) bool {
	// Round strips the monotonic reading, which would hide the jump.
	drift := own.Round(0).Sub(m.own.Round(0)) - time.Since(m.at)
	return drift.Abs() > maxJump
}

// jitter is a random duration below d.
func (c *Client) jitter(d time.Duration) time.Duration {
	var b [8]byte
	if _, err := io.ReadFull(c.cfg.Rand, b[:]); err != nil {
		c.log.Error("no randomness for the backoff; the longest wait is taken", "error", err)
		return d
	}
	return time.Duration(binary.LittleEndian.Uint64(b[:]) % uint64(max(d, 1)))
}

// addressPoll is how often the machine's addresses are read. A change of them is
// a sign, on every operating system, that the network is back.
const addressPoll = 3 * time.Second

func (c *Client) watchAddresses(ctx context.Context) {
	tick := time.NewTicker(addressPoll)
	defer tick.Stop()
	known := c.addresses()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := c.addresses(); !slices.Equal(known, now) {
			known = now
			c.log.Info("the network addresses changed", "count", len(now))
			c.Wake()
		}
	}
}

// addresses returns the machine's addresses, sorted; none where they can't be read.
func (c *Client) addresses() []string {
	list, err := c.cfg.Addresses()
	if err != nil {
		c.log.Debug("the network addresses can't be read", "error", err)
		return nil
	}
	var out []string
	for _, a := range list {
		out = append(out, a.String())
	}
	slices.Sort(out)
	return out
}
