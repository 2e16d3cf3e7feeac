package rdservice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The ports on which RD services are looked for (specification, 'Discovery').
const (
	FirstPort = 11100
	LastPort  = 11120
)

// otherAddresses are those outside the range at which services were met: a current one
// on 11200 and a legacy one on 8005, both https (rdservice.md, 'Protocol').
func otherAddresses() []string { return []string{"https://127.0.0.1:11200", "https://127.0.0.1:8005"} }

// Waits. The specification's page scripts give a port a few seconds; an agent
// waits for the whole scan, so all ports are asked side by side.
const (
	probeWait = 2500 * time.Millisecond // one port, http and https together
	infoWait  = 5 * time.Second         // some services ask their device first
)

// maxAddresses bounds a scan: the whole range, a few addresses of other makers,
// and some more.
const maxAddresses = 64

// Config says where to look. The zero value is right at a counter.
type Config struct {
	// FirstPort and LastPort are the range on 127.0.0.1. Where both are zero, it is that
	// of the specification, and otherAddresses are asked too.
	FirstPort, LastPort int
	Extra               []string // further addresses, such as http://127.0.0.1:12345
	// Dial opens connections; the network where nil. It is for tests in memory.
	Dial DialFunc
}

// Client speaks with the RD services of one computer. It may be used by several
// goroutines.
type Client struct {
	addresses []*url.URL
	clients   httpClients

	mu    sync.Mutex
	busy  map[string]bool       // devices on which a capture runs, by host and port
	seen  map[string]Service    // the last discovery of each, by host and port
	infos map[string]DeviceInfo // the last identity of each, by host and port
}

// New checks the configuration: a range that is no range, an extra address that
// is none (ErrAddress), or more addresses than can be asked at once.
func New(cfg Config) (*Client, error) {
	extra := slices.Clone(cfg.Extra)
	if cfg.FirstPort == 0 && cfg.LastPort == 0 {
		cfg.FirstPort, cfg.LastPort = FirstPort, LastPort
		extra = append(extra, otherAddresses()...)
	}
	if cfg.FirstPort < 1 || cfg.LastPort > 65535 || cfg.FirstPort > cfg.LastPort {
		return nil, fmt.Errorf("%d-%d is no range of ports", cfg.FirstPort, cfg.LastPort)
	}
	if n := cfg.LastPort - cfg.FirstPort + 1 + len(extra); n > maxAddresses {
		return nil, fmt.Errorf("%d addresses are too many; at most %d can be asked at once", n, maxAddresses)
	}
	c := &Client{
		clients: newHTTPClients(cfg.Dial),
		busy:    map[string]bool{},
		seen:    map[string]Service{},
		infos:   map[string]DeviceInfo{},
	}
	for port := cfg.FirstPort; port <= cfg.LastPort; port++ {
		c.addresses = append(c.addresses, &url.URL{Scheme: "http", Host: "127.0.0.1:" + strconv.Itoa(port)})
	}
	for _, text := range extra {
		u, err := parseAddress(text)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(c.addresses, func(have *url.URL) bool { return have.Host == u.Host }) {
			c.addresses = append(c.addresses, u)
		}
	}
	return c, nil
}

// Service is an RD service that answered.
type Service struct {
	Address string // scheme, host and port under which it answered
	Status  Status
	Info    string // the maker's words
	// InfoPath and CapturePath are normalised; empty where the service does
	// not offer that interface.
	InfoPath, CapturePath string
}

// Vendor is the maker's name for people, by the service's own words; empty
// where they name none. DeviceInfo.Vendor knows better.
func (s Service) Vendor() string { return vendorOf(s.Info) }

// Scan is what a discovery found.
type Scan struct {
	Services []Service // ready ones first, then used, then not ready
	// Failures are the addresses without a usable service, in the order in
	// which they were asked. Mostly ErrRefused: nothing is there.
	Failures []*Error
}

// Discover asks every address at once and returns within three seconds. It
// fails only where ctx ends first (ErrCancelled, ErrTimeout). A device on which
// this client is capturing is not disturbed: it is listed as USED, as it was
// last seen.
func (c *Client) Discover(ctx context.Context) (Scan, error) {
	type answer struct {
		service Service
		err     error
	}
	answers := make([]answer, len(c.addresses))
	var wg sync.WaitGroup
	for i, u := range c.addresses {
		wg.Go(func() {
			answers[i].service, answers[i].err = c.probe(ctx, u)
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		detail, kind := classify(ctx, err)
		return Scan{}, &Error{Op: opDiscover, Address: "all ports", Kind: kind, Detail: detail}
	}
	var scan Scan
	for _, a := range answers {
		var failure *Error
		if errors.As(a.err, &failure) {
			scan.Failures = append(scan.Failures, failure)
		} else {
			scan.Services = append(scan.Services, a.service)
		}
	}
	slices.SortStableFunc(scan.Services, func(a, b Service) int {
		return cmp.Compare(rank(a), rank(b))
	})
	return scan, nil
}

// rank orders services by how soon a capture can start on them.
func rank(s Service) int {
	order := []Status{Ready, Used, NotReady}
	r := slices.Index(order, s.Status)
	if r < 0 {
		r = len(order)
	}
	if s.CapturePath == "" {
		r += len(order) + 1
	}
	return r
}

// Probe asks one address, which need not be among the configured ones. An
// https service is found under an http address too.
func (c *Client) Probe(ctx context.Context, address string) (Service, error) {
	u, err := parseAddress(address)
	if err != nil {
		return Service{}, err
	}
	return c.probe(ctx, u)
}

func (c *Client) probe(ctx context.Context, u *url.URL) (Service, error) {
	if s, ok := c.lastSeenCapturing(u); ok {
		return s, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	s, err := c.discoverAt(ctx, u)
	if err != nil && u.Scheme == "http" && mayBeHTTPS(err) {
		secure := &url.URL{Scheme: "https", Host: u.Host}
		if found, secureErr := c.discoverAt(ctx, secure); secureErr == nil {
			s, err = found, nil
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		delete(c.seen, u.Host)
		delete(c.infos, u.Host)
		return Service{}, err
	}
	c.seen[u.Host] = s
	return s, nil
}

// mayBeHTTPS tells what an https server makes of plain http: a status of its
// own, an alert that is no HTTP, or a closed connection.
func mayBeHTTPS(err error) bool {
	var e *Error
	return errors.As(err, &e) && (errors.Is(err, ErrStatus) || errors.Is(err, ErrBroken) ||
		errors.Is(err, ErrReply) && strings.Contains(e.Detail, "not HTTP"))
}

// discoverAt sends RDSERVICE and reads the answer.
func (c *Client) discoverAt(ctx context.Context, u *url.URL) (Service, error) {
	reply, err := c.clients.do(ctx, exchange{op: opDiscover, method: methodDiscover, base: u, path: "/", wait: probeWait})
	if err != nil {
		return Service{}, err
	}
	a, err := ParseRDService(reply)
	if err != nil {
		return Service{}, parseFailure(opDiscover, u, err)
	}
	s := Service{Address: u.String(), Status: a.Status, Info: a.Info}
	if s.InfoPath, err = normalPath(a.InfoPath, u); err != nil {
		return Service{}, parseFailure(opDiscover, u, err)
	}
	if s.CapturePath, err = normalPath(a.CapturePath, u); err != nil {
		return Service{}, parseFailure(opDiscover, u, err)
	}
	return s, nil
}

// parseFailure makes an *Error out of a parser's error.
func parseFailure(op string, u *url.URL, err error) error {
	kind := ErrReply
	if errors.Is(err, ErrForeignHost) {
		kind = ErrForeignHost
	}
	detail := strings.TrimPrefix(err.Error(), kind.Error()+": ")
	return &Error{Op: op, Address: u.String(), Kind: kind, Detail: detail}
}

// Info asks a discovered service who its device is. ErrNoInterface where the
// service offers no such call. A device on which this client is capturing is
// not disturbed: its last answer is given, or ErrBusy where there is none.
func (c *Client) Info(ctx context.Context, s Service) (DeviceInfo, error) {
	u, err := checkTarget(opInfo, s.Address, s.InfoPath)
	if err != nil {
		return DeviceInfo{}, err
	}
	c.mu.Lock()
	known, ok := c.infos[u.Host]
	capturing := c.isCapturing(u)
	c.mu.Unlock()
	if capturing && ok {
		return known, nil
	}
	if capturing {
		return DeviceInfo{}, &Error{Op: opInfo, Address: u.String(), Kind: ErrBusy}
	}
	reply, err := c.clients.do(ctx, exchange{op: opInfo, method: methodInfo, base: u, path: s.InfoPath, wait: infoWait})
	if err != nil {
		return DeviceInfo{}, err
	}
	info, err := ParseDeviceInfo(reply)
	if err != nil {
		return DeviceInfo{}, parseFailure(opInfo, u, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.infos[u.Host] = info
	return info, nil
}

// checkTarget checks that a service can be called, also one that a caller made up.
func checkTarget(op, address, path string) (*url.URL, error) {
	u, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, &Error{Op: op, Address: u.String(), Kind: ErrNoInterface}
	}
	if clean, err := normalPath(path, u); err != nil || clean != path {
		return nil, &Error{Op: op, Address: u.String(), Kind: ErrReply, Detail: "its path is not normalised"}
	}
	return u, nil
}

// lastSeenCapturing gives a service on which a capture runs, as it was last seen.
func (c *Client) lastSeenCapturing(u *url.URL) (Service, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, known := c.seen[u.Host]
	if !known || !c.isCapturing(u) {
		return Service{}, false
	}
	s.Status = Used
	return s, true
}

// acquire takes the device for one capture; false where one is running.
func (c *Client) acquire(u *url.URL, s Service) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isCapturing(u) {
		return false
	}
	c.busy[u.Host] = true
	c.seen[u.Host] = s
	return true
}

func (c *Client) release(u *url.URL) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, u.Host)
}
