package device

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"galla/edge"
	"galla/rdservice"
)

// DefaultScan is the time between two looks: an agent who plugs the reader in
// sees it within a few seconds, and 21 refused connections on loopback cost
// nothing that a shop's computer notices.
const DefaultScan = 5 * time.Second

// infoMaxAge is how long the reader's identity is believed while its service
// answers the same. Some services ask the device itself for it, so it is not
// asked for at each look.
const infoMaxAge = time.Minute

// Statuses of edge.DeviceState.
const (
	statusReady    = string(rdservice.Ready)
	statusUsed     = string(rdservice.Used)
	statusNotReady = string(rdservice.NotReady)
	statusAbsent   = "ABSENT"
)

// Config says where to look for the reader and how long to wait for a finger.
// The zero value, with a Logger, is right at a counter.
type Config struct {
	// Extra are addresses beside the standard ports, such as
	// http://127.0.0.1:12345 (GALLA_RDSIM_ADDR).
	Extra []string
	// FirstPort and LastPort are the range on 127.0.0.1; rdservice's, 11100 to
	// 11120, where both are zero.
	FirstPort, LastPort int
	// Scan is the time between two looks while nothing is captured;
	// DefaultScan where zero.
	Scan time.Duration
	// CaptureTimeout is how long the customer has to place the finger; ten
	// seconds where zero. The answer may take a few seconds more.
	CaptureTimeout time.Duration
	// OnChange is called after State changed, in the goroutine that found out,
	// and must not wait. See also SetOnChange.
	OnChange func()
	// Pins keeps which reader is the counter's, so that no other one is used; nil:
	// any may be.
	Pins Pins
	// Dial opens connections; the network where nil. It is for tests in memory.
	Dial rdservice.DialFunc

	Logger *slog.Logger // discarded where nil
}

// told is a device's identity, and when its service gave it.
type told struct {
	info rdservice.DeviceInfo
	at   time.Time
}

// Device is the fingerprint reader. It may be used by several goroutines.
type Device struct {
	client   *rdservice.Client
	scan     time.Duration
	timeout  time.Duration
	onChange func()
	pins     Pins
	log      *slog.Logger

	// turn is held by whoever speaks with the services: a look or a capture.
	turn chan struct{}
	// look asks Run for a look before its time.
	look chan struct{}

	mu        sync.Mutex
	state     edge.DeviceState           // as the last look found it
	seen      []rdservice.Service        // by the last look, best first
	changes   int                        // looks that found something else than the one before
	service   rdservice.Service          // the reader's; no address: none is known
	infos     map[rdservice.Service]told // who each service, as it was, said that its device is
	last      string                     // address that captured last
	capturing bool
	// unsure: a capture had no answer, so the state may be wrong until the next
	// look. abandoned is until when the service may go on with that capture.
	unsure    bool
	abandoned time.Time
	stopLook  context.CancelFunc // of Run's look that is under way
}

var _ edge.KYCDevice = (*Device)(nil)

// New checks the configuration. Errors are those of rdservice.New, or say which
// of the times is wrong.
func New(cfg Config) (*Device, error) {
	if cfg.Scan < 0 {
		return nil, fmt.Errorf("the time between two looks for the reader is %v: it must be positive", cfg.Scan)
	}
	options := rdservice.Options{Fingers: 1, Timeout: cfg.CaptureTimeout}
	if err := options.Validate(); err != nil {
		return nil, fmt.Errorf("the reader's settings: %w", err)
	}
	client, err := rdservice.New(rdservice.Config{
		FirstPort: cfg.FirstPort, LastPort: cfg.LastPort, Extra: cfg.Extra, Dial: cfg.Dial,
	})
	if err != nil {
		return nil, fmt.Errorf("the reader's settings: %w", err)
	}
	d := &Device{
		client: client, scan: cmp.Or(cfg.Scan, DefaultScan), timeout: cfg.CaptureTimeout,
		onChange: cfg.OnChange, pins: cfg.Pins, log: cfg.Logger, infos: map[rdservice.Service]told{},
		turn: make(chan struct{}, 1), look: make(chan struct{}, 1),
		state: edge.DeviceState{Status: statusAbsent, Problem: "The fingerprint reader is being looked for. Wait a moment."},
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	return d, nil
}

// SetOnChange sets Config.OnChange where its owner is made after the device. It
// is called before Run and Capture.
func (d *Device) SetOnChange(changed func()) { d.onChange = changed }

// State is the last known state; it does not wait. While a capture runs it is
// USED.
func (d *Device) State() edge.DeviceState {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.visible()
}

// visible is the state as it is told; d.mu is held.
func (d *Device) visible() edge.DeviceState {
	s := d.state
	if d.capturing {
		s.Status, s.Problem = statusUsed, "A finger is being captured."
	}
	return s
}

// Run keeps the state fresh until ctx ends, and returns nil then.
func (d *Device) Run(ctx context.Context) error {
	tick := time.NewTicker(d.scan)
	defer tick.Stop()
	for {
		d.idleLook(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-d.look:
		case <-tick.C:
		}
	}
}

// idleLook looks, unless a capture is running; it gives way to one that starts.
func (d *Device) idleLook(ctx context.Context) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	default:
		return
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	d.mu.Lock()
	wanted := d.capturing
	if !wanted {
		d.stopLook = stop
	}
	d.mu.Unlock()
	if wanted {
		return
	}
	if err := d.refresh(ctx); err != nil {
		d.log.Debug("look for the reader was broken off", "error", err)
	}
	d.mu.Lock()
	d.stopLook = nil
	d.mu.Unlock()
}

// refresh looks once, and sets the state and the reader. The turn is held. An
// error says that ctx ended first; everything is as it was then.
func (d *Device) refresh(ctx context.Context) error {
	scan, err := d.client.Discover(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	last := d.last
	d.mu.Unlock()
	d.forgetOthers(scan.Services)
	service, info, other := d.pick(ctx, scan.Services, last)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ask the readers for their identities: %w", err)
	}
	switch {
	case other:
		d.set(scan.Services, service, edge.DeviceState{Status: statusNotReady, Other: true, Problem: otherReader})
		return nil
	case service.Address == "":
		d.set(scan.Services, service, absent(scan.Failures, last))
		return nil
	}
	state := edge.DeviceState{
		Name: name(service, info), Serial: info.Serial, CertEnd: info.CertificateEnds,
	}
	state.Status, state.Problem = usability(service, d.isEnding())
	d.set(scan.Services, service, state)
	return nil
}

// choose gives the READY service that captured last, else the best one; no
// address: there is none.
func choose(ranked []rdservice.Service, last string) rdservice.Service {
	if len(ranked) == 0 {
		return rdservice.Service{}
	}
	i := slices.IndexFunc(ranked, func(s rdservice.Service) bool {
		return s.Address == last && s.Status == rdservice.Ready && s.CapturePath != ""
	})
	return ranked[max(i, 0)]
}

// identity gives who the device of the service is: as it is remembered, where
// the service answered the same a short time ago; empty where it does not tell.
func (d *Device) identity(ctx context.Context, s rdservice.Service) rdservice.DeviceInfo {
	d.mu.Lock()
	was, fresh := d.infos[s]
	d.mu.Unlock()
	if fresh && time.Since(was.at) < infoMaxAge {
		return was.info
	}
	info, err := d.client.Info(ctx, s)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		if !errors.Is(err, rdservice.ErrNoInterface) {
			d.log.Debug("the reader did not say who it is", "error", err)
		}
		delete(d.infos, s) // what was remembered may be of another device
		return info
	}
	d.infos[s] = told{info, time.Now()}
	return info
}

// forgetOthers drops what services said that are no longer as they were.
func (d *Device) forgetOthers(found []rdservice.Service) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for s := range d.infos {
		if !slices.Contains(found, s) {
			delete(d.infos, s)
		}
	}
}

// set takes over what a look found, and tells of it where it differs.
func (d *Device) set(seen []rdservice.Service, s rdservice.Service, state edge.DeviceState) {
	state.Checked = time.Now()
	d.mu.Lock()
	before := d.state
	before.Checked = state.Checked
	same := slices.Equal(d.seen, seen)
	if before != state || !same {
		d.changes++
	}
	d.service, d.state, d.seen, d.unsure = s, state, seen, false
	d.mu.Unlock()
	if before != state {
		d.log.Info("reader", "status", state.Status, "name", state.Name, "address", s.Address, "serial", state.Serial)
	}
	if before != state || !same {
		d.changed()
	}
}

func (d *Device) changed() {
	if d.onChange != nil {
		d.onChange()
	}
}
