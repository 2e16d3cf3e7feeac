package upi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
)

// Limits of the notifier.
const (
	// maxUnderWay bounds the notifications under way, and the connections.
	maxUnderWay = 64
	// attemptTimeout bounds one attempt.
	attemptTimeout = 10 * time.Second
	// firstDelay follows the first attempt; each later one is twice as long, up to
	// lastDelay.
	firstDelay = time.Second
	lastDelay  = 5 * time.Minute
	// tryFor is how long a notification is tried, from its first attempt on.
	tryFor = 24 * time.Hour
	// retryPause follows books that can't be read or written.
	retryPause = time.Second
	// maxReceipt bounds a reply in bytes.
	maxReceipt = 4 << 10
)

// NotifierConfig sets up a Notifier.
type NotifierConfig struct {
	Books *books.Books
	// URL is the central's address, without a path.
	URL string
	// DialContext opens connections; nil: as the system does.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	Checksums   network.Checksums
	// IsDown tells whether the bank's network is down: then nothing is sent. Wake after
	// it was.
	IsDown func() bool
	Logger *slog.Logger
}

// Notifier tells the central of payments. Its methods are safe for concurrent use.
type Notifier struct {
	cfg    NotifierConfig
	client *http.Client
	wake   chan struct{}

	mu       sync.Mutex
	underWay map[int64]bool // by the notification's id
	ended    map[int64]bool // attempts that ended since the books were read last
}

// NewNotifier makes a notifier that sends nothing before Run.
func NewNotifier(cfg NotifierConfig) *Notifier {
	cfg.URL = strings.TrimSuffix(cfg.URL, "/") + network.PathNotifications
	return &Notifier{cfg: cfg, wake: make(chan struct{}, 1), underWay: map[int64]bool{}, ended: map[int64]bool{}, client: &http.Client{
		Transport: &http.Transport{
			DialContext: cfg.DialContext, MaxIdleConnsPerHost: maxUnderWay, MaxConnsPerHost: maxUnderWay, IdleConnTimeout: time.Minute,
			ResponseHeaderTimeout: attemptTimeout, TLSHandshakeTimeout: attemptTimeout,
		},
		Timeout:       attemptTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Wake says that there may be something to send.
func (n *Notifier) Wake() {
	select {
	case n.wake <- struct{}{}:
	default: // a call is already waiting
	}
}

// Run sends what is due, until ctx ends and everything that it started has ended.
func (n *Notifier) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer n.client.CloseIdleConnections()
	defer running.Wait()
	for {
		next, err := n.start(ctx, &running)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			n.cfg.Logger.Error("notifications can't be read; trying again", "error", err)
			next = time.Now().Add(retryPause)
		}
		if !n.wait(ctx, next) {
			return
		}
	}
}

// wait returns at a time, or earlier when woken; zero is never. It reports false where ctx
// has ended.
func (n *Notifier) wait(ctx context.Context, until time.Time) bool {
	var due <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-n.wake:
	case <-due:
	}
	return true
}

// start begins an attempt of each notification that is due, as far as there is room. It
// tells when the next one is due; zero: none waits, or the end of an attempt wakes Run.
func (n *Notifier) start(ctx context.Context, running *sync.WaitGroup) (next time.Time, err error) {
	if n.cfg.IsDown() {
		return time.Time{}, nil
	}
	n.mu.Lock()
	clear(n.ended)
	n.mu.Unlock()
	// Those under way are among the first; as many again are enough to fill every place.
	found, err := n.cfg.Books.NextNotifications(ctx, 2*maxUnderWay)
	if err != nil {
		return time.Time{}, err
	}
	for _, one := range found {
		if one.Next.After(time.Now()) {
			return one.Next, nil
		}
		if ok, full := n.enter(one.ID); full {
			return time.Time{}, nil
		} else if ok {
			running.Go(func() {
				n.attempt(ctx, one)
				n.leave(one.ID)
				n.Wake()
			})
		}
	}
	return time.Time{}, nil
}

// enter takes a place for a notification; ok is false where it is under way already, or
// was when the books were read.
func (n *Notifier) enter(id int64) (ok, full bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.underWay[id] || n.ended[id] {
		return false, false
	}
	if len(n.underWay) == maxUnderWay {
		return false, true
	}
	n.underWay[id] = true
	return true, false
}

func (n *Notifier) leave(id int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.underWay, id)
	n.ended[id] = true
}

// attempt sends a notification once, and records what came of it.
func (n *Notifier) attempt(ctx context.Context, one books.Notification) {
	err := n.send(ctx, one)
	if err != nil && ctx.Err() != nil {
		return // the bank stops; the books say that it is due
	}
	log := n.cfg.Logger.With("payment", one.Payment.ID, "attempt", one.Attempts+1)
	if err == nil {
		log.Debug("notification delivered")
		err = n.cfg.Books.MarkDelivered(ctx, one.ID)
	} else {
		next := again(one, time.Now())
		switch {
		case next.IsZero():
			log.Warn("notification given up", "error", err)
		case one.Attempts == 0:
			log.Warn("notification not confirmed; it is sent again until it is", "error", err)
		default:
			log.Debug("notification not confirmed", "error", err)
		}
		err = n.cfg.Books.MarkAttempted(ctx, one.ID, next)
	}
	if err != nil {
		log.Error("notification's attempt can't be recorded; it is made again", "error", err)
		pause(ctx, retryPause)
	}
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// again is when a notification is sent after a failed attempt; zero: no more.
func again(one books.Notification, now time.Time) time.Time {
	delay := lastDelay
	if one.Attempts < 20 { // beyond, the shift would leave the range
		delay = min(lastDelay, firstDelay<<one.Attempts)
	}
	next := now.Add(delay)
	if next.Sub(one.Begins) > tryFor {
		return time.Time{}
	}
	return next
}

// errReply says that a reply does not confirm the notification.
var errReply = errors.New("the reply does not confirm the payment under the shared key")

// send makes one attempt; nil means that the central has confirmed it.
func (n *Notifier) send(ctx context.Context, one books.Notification) error {
	body, err := network.EncodePayment(one.Payment)
	if err != nil {
		return err
	}
	sum := n.cfg.Checksums.AppendNotification(nil, network.PathNotifications, body)
	if one.Spoil == books.SpoilAlways || one.Spoil == books.SpoilOnce && one.Attempts == 0 {
		spoil(sum)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", network.ContentType)
	req.Header.Set(network.HeaderChecksum, string(sum))
	// Not sent: it lets the transport repeat the request where a kept connection ended.
	req.Header["Idempotency-Key"] = nil
	reply, err := n.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = reply.Body.Close() }()
	said, err := network.ReadBody(reply.Body, maxReceipt)
	if err != nil {
		return fmt.Errorf("read the reply, HTTP %d: %w", reply.StatusCode, err)
	}
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d", reply.StatusCode)
	}
	sums := reply.Header.Values(network.HeaderChecksum)
	if len(sums) != 1 || !n.cfg.Checksums.IsReply(sums[0], reply.StatusCode, one.Payment.ID, said) {
		return errReply
	}
	if receipt, err := network.DecodeReceipt(said); err != nil || receipt.ID != one.Payment.ID {
		return errReply
	}
	return nil
}

// spoil makes a checksum wrong.
func spoil(sum []byte) {
	if sum[0] == '0' {
		sum[0] = '1'
		return
	}
	sum[0] = '0'
}
