package reader

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

// DefaultScanInterval is the time between two scans: an agent who plugs the reader
// in sees it within a few seconds, and a scan of 21 closed ports costs little.
const DefaultScanInterval = 5 * time.Second

// infoMaxAge is how long the reader's identity is cached while its service answers
// the same. Some services ask the device for it each time.
const infoMaxAge = time.Minute

// Statuses of edge.DeviceState.
const (
	statusReady    = string(rdservice.Ready)
	statusUsed     = string(rdservice.Used)
	statusNotReady = string(rdservice.NotReady)
	statusAbsent   = "ABSENT"
)

// Config configures a Reader. The zero value, with a Logger, is right for a counter.
type Config struct {
	// Extra are addresses beside the standard ports, such as
	// http://127.0.0.1:12345 (GALLA_RDSIM_ADDR).
	Extra []string
	// FirstPort and LastPort are the range on 127.0.0.1; rdservice's, 11100 to
	// 11120, where both are zero.
	FirstPort, LastPort int
	// ScanInterval is the time between two scans; DefaultScanInterval where zero.
	ScanInterval time.Duration
	// CaptureTimeout is how long the customer has to place the finger; ten
	// seconds where zero. The answer may take a few seconds more.
	CaptureTimeout time.Duration
	// Identities stores which reader is the counter's; nil: any may be used.
	Identities IdentityStore
	// Dial opens connections; the network where nil. It is for tests in memory.
	Dial rdservice.DialFunc

	Logger *slog.Logger // discarded where nil
}

type cachedInfo struct {
	info rdservice.DeviceInfo
	at   time.Time
}

// Reader is the fingerprint reader. It may be used by several goroutines.
type Reader struct {
	client       *rdservice.Client
	scanInterval time.Duration
	timeout      time.Duration
	onChange     func()
	identities   IdentityStore
	log          *slog.Logger

	// serviceLock is held during a scan or a capture.
	serviceLock chan struct{}
	// rescan makes Run scan now.
	rescan chan struct{}

	mu        sync.Mutex
	state     edge.ReaderState                 // of the last scan
	services  []rdservice.Service              // of the last scan, best first
	changes   int                              // scans with another result than the one before
	service   rdservice.Service                // the reader's; no address: none is known
	infos     map[rdservice.Service]cachedInfo // the device info of each service
	last      string                           // address that captured last
	capturing bool
	// stale: a capture had no answer, so the state may be wrong until the next
	// scan. abandoned is until when the service may go on with that capture.
	stale            bool
	captureRunsUntil time.Time
	cancelScan       context.CancelFunc // of Run's running scan
}

var _ edge.KYCReader = (*Reader)(nil)

// New checks the configuration. Errors are those of rdservice.New, or say which
// of the times is wrong.
func New(cfg Config) (*Reader, error) {
	if cfg.ScanInterval < 0 {
		return nil, fmt.Errorf("the time between two scans is %v: it must be positive", cfg.ScanInterval)
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
	d := &Reader{
		client: client, scanInterval: cmp.Or(cfg.ScanInterval, DefaultScanInterval), timeout: cfg.CaptureTimeout,
		identities: cfg.Identities, log: cfg.Logger, infos: map[rdservice.Service]cachedInfo{},
		serviceLock: make(chan struct{}, 1), rescan: make(chan struct{}, 1),
		state: edge.ReaderState{Status: statusAbsent, Problem: "Searching for the fingerprint reader. Wait a moment."},
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	return d, nil
}

// SetOnChange sets what is called after State changed, in the goroutine that found
// out; it must not wait. SetOnChange is called before Run and Capture.
func (d *Reader) SetOnChange(changed func()) { d.onChange = changed }

// State is the last known state; it does not wait. While a capture runs it is
// USED.
func (d *Reader) State() edge.ReaderState {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.visibleState()
}

// visibleState returns the state for callers; the caller holds mu.
func (d *Reader) visibleState() edge.ReaderState {
	s := d.state
	if d.capturing {
		s.Status, s.Problem = statusUsed, "A finger is being captured."
	}
	return s
}

// Run scans until ctx ends, and then returns nil.
func (d *Reader) Run(ctx context.Context) error {
	tick := time.NewTicker(d.scanInterval)
	defer tick.Stop()
	for {
		d.scanIfIdle(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-d.rescan:
		case <-tick.C:
		}
	}
}

// scanIfIdle scans unless a capture is running; a capture that starts cancels it.
func (d *Reader) scanIfIdle(ctx context.Context) {
	select {
	case d.serviceLock <- struct{}{}:
		defer func() { <-d.serviceLock }()
	default:
		return
	}
	ctx, end, ok := d.beginScan(ctx)
	defer end()
	if !ok {
		return
	}
	if err := d.scan(ctx); err != nil {
		d.log.Debug("reader scan was cancelled", "error", err)
	}
}

// beginScan returns the context of a scan, which a capture that starts cancels, and
// what ends the scan; false: a capture is running. The caller holds the lock.
func (d *Reader) beginScan(ctx context.Context) (scan context.Context, end func(), ok bool) {
	scan, cancel := context.WithCancel(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.capturing {
		return scan, cancel, false
	}
	d.cancelScan = cancel
	return scan, func() {
		cancel()
		d.mu.Lock()
		defer d.mu.Unlock()
		d.cancelScan = nil
	}, true
}

func (d *Reader) requestScan() {
	select {
	case d.rescan <- struct{}{}:
	default: // requested already
	}
}

// scan scans once, and sets the state and the reader. The caller holds the lock. An
// error means that ctx ended; nothing was changed then.
func (d *Reader) scan(ctx context.Context) error {
	scan, err := d.client.Discover(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	last := d.last
	d.mu.Unlock()
	d.forgetOthers(scan.Services)
	service, info, other := d.pickAssigned(ctx, scan.Services, last)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read the readers' identities: %w", err)
	}
	switch {
	case other:
		d.setState(scan.Services, service, edge.ReaderState{Status: statusNotReady, OtherReader: true, Problem: otherReaderText})
		return nil
	case service.Address == "":
		d.setState(scan.Services, service, absentState(scan.Failures, last))
		return nil
	}
	state := edge.ReaderState{
		Name: displayName(service, info), Serial: info.Serial, CertEnd: info.CertificateEnds,
	}
	state.Status, state.Problem = statusOf(service, d.captureMayRun())
	d.setState(scan.Services, service, state)
	return nil
}

// pickBest returns the READY service that captured last, else the best one; no
// address: there is none.
func pickBest(ranked []rdservice.Service, last string) rdservice.Service {
	if len(ranked) == 0 {
		return rdservice.Service{}
	}
	i := slices.IndexFunc(ranked, func(s rdservice.Service) bool {
		return s.Address == last && s.Status == rdservice.Ready && s.CapturePath != ""
	})
	return ranked[max(i, 0)]
}

// identity returns the device info of a service, cached where the service answered
// the same a short time ago; empty where it has none.
func (d *Reader) identity(ctx context.Context, s rdservice.Service) rdservice.DeviceInfo {
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
			d.log.Debug("the reader has no identity", "error", err)
		}
		delete(d.infos, s) // what was remembered may be of another device
		return info
	}
	d.infos[s] = cachedInfo{info, time.Now()}
	return info
}

// forgetOthers removes cached device infos of services that have changed.
func (d *Reader) forgetOthers(found []rdservice.Service) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for s := range d.infos {
		if !slices.Contains(found, s) {
			delete(d.infos, s)
		}
	}
}

// setState stores the result of a scan, and notifies where it differs.
func (d *Reader) setState(seen []rdservice.Service, s rdservice.Service, state edge.ReaderState) {
	state.Checked = time.Now()
	d.mu.Lock()
	before := d.state
	before.Checked = state.Checked
	same := slices.Equal(d.services, seen)
	if before != state || !same {
		d.changes++
	}
	d.service, d.state, d.services, d.stale = s, state, seen, false
	d.mu.Unlock()
	if before != state {
		d.log.Info("reader", "status", state.Status, "name", state.Name, "address", s.Address, "serial", state.Serial)
	}
	if before != state || !same {
		d.notify()
	}
}

func (d *Reader) notify() {
	if d.onChange != nil {
		d.onChange()
	}
}
