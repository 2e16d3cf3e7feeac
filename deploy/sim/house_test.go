package sim

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"galla/central"
	"galla/central/bank"
	"galla/central/bank/simbank"
	"galla/central/contract"
	"galla/central/limits"
	"galla/central/store"
	centraluplink "galla/central/uplink"
	"galla/edge"
	"galla/edge/queue"
	edgeuplink "galla/edge/uplink"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/secret"
)

// Names of the parts on the network.
const (
	nameUplink  = "uplink"
	nameNetwork = "network" // the bank's
	nameDesk    = "desk"    // the bank's, for tests
	merchantID  = "c0000000-0000-4000-8000-000000000001"
	customer    = "999941057058"
	customerIIN = "990326"
	audience    = "sim"
)

// part is something that runs, can be killed, and can be started again over
// the same files.
type part struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	ending atomic.Bool // from here on, a loop may end as it likes
}

// run starts a part's loops; an error that is not the part's end is kept.
func (h *house) run(p *part, loops ...func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.ending.Store(false)
	for _, loop := range loops {
		p.done.Go(func() {
			if err := loop(ctx); err != nil && !p.ending.Load() {
				h.complain("a part ended by itself: %v", err)
			}
		})
	}
}

// house is one story's parts.
type house struct {
	dir     string
	keys    *keys
	network *network
	log     *slog.Logger

	bankPart, centralPart part
	bank                  *simbank.Bank
	store                 *store.DB
	bell                  *central.Bell
	counters              []*counter

	mu         sync.Mutex
	complaints []string
}

func (h *house) complain(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.complaints = append(h.complaints, fmt.Sprintf(format, args...))
}

func (h *house) listen(name string) func(context.Context) (net.Listener, error) {
	return func(context.Context) (net.Listener, error) { return h.network.listen(name), nil }
}

func (h *house) startBank() error {
	b, err := simbank.New(context.Background(), simbank.Config{
		DataDir: filepath.Join(h.dir, "bank"), NetworkKey: h.keys.network,
		AuthorityKey: h.keys.authorityKey, AuthorityCert: h.keys.authority,
		ListenDesk: h.listen(nameDesk), ListenNetwork: h.listen(nameNetwork),
		DailyCeiling: 10_00_000 * money.Rupee, Rand: rand.Reader, Logger: h.log,
	})
	if err != nil {
		return fmt.Errorf("bank: %w", err)
	}
	h.bank = b
	h.run(&h.bankPart, b.Run)
	return nil
}

// stopBank ends the bank's process: its connections break first.
func (h *house) stopBank() error {
	h.bankPart.ending.Store(true)
	h.network.sever(nameNetwork)
	h.bankPart.cancel()
	h.bankPart.done.Wait()
	return h.bank.Close()
}

func (h *house) startCentral() error {
	db, err := store.OpenSQLite(context.Background(), filepath.Join(h.dir, "central.db"), store.Config{Node: "node-1", Logger: h.log})
	if err != nil {
		return fmt.Errorf("central: %w", err)
	}
	h.store = db
	err = db.Seed(context.Background(), store.Seed{Merchants: []central.Merchant{{
		ID: merchantID, MID: "GAL0000001", LegalName: "Lakshmi Kirana Store", Status: central.MerchantApproved,
		HasInfo: true, AEPSReady: true, TID: "GAL00001", Mobile: "9800000001",
	}}})
	if err != nil {
		return err
	}
	h.bell = central.NewBell()
	client, err := bank.New(bank.Config{BaseURL: "http://" + nameNetwork, Key: h.keys.network, DialContext: h.network.dialer("central", nameNetwork), Logger: h.log})
	if err != nil {
		return err
	}
	engine, err := central.NewEngine(db, client, contract.Renderer{}, h.bell, central.EngineConfig{
		Node: "node-1", Enquiries: central.EnquiryConfig{Max: 30 * time.Second, Poll: 2 * time.Second}, Rand: rand.Reader, Logger: h.log,
	})
	if err != nil {
		return err
	}
	rules, err := limits.Sandbox()
	if err != nil {
		return err
	}
	dispatcher, err := contract.New(engine, central.NewRegistry(db, h.bell, rand.Reader), db, db, contract.Config{
		FingerprintKey: h.keys.fing, UplinkURL: "ws://" + nameUplink, Audience: audience,
		Limits: rules, Handle: "galla", Rand: rand.Reader, Logger: h.log,
	})
	if err != nil {
		return err
	}
	terminals, err := centraluplink.New(dispatcher, db, h.bell, centraluplink.Config{Audience: audience, Logger: h.log, Rand: rand.Reader})
	if err != nil {
		return err
	}
	l := h.network.listen(nameUplink)
	h.run(&h.centralPart, engine.Run, func(ctx context.Context) error { return terminals.Run(ctx, l) })
	return nil
}

// killCentral is kill -9: nothing more is committed, every connection breaks,
// and only then does the code notice.
func (h *house) killCentral() error {
	h.centralPart.ending.Store(true)
	err := h.store.Abandon()
	h.network.sever("central")
	h.network.sever(nameUplink)
	h.centralPart.cancel()
	h.centralPart.done.Wait()
	return err
}

// counter is one shop.
type counter struct {
	house    *house
	name     string
	terminal central.Terminal
	key      ed25519.PrivateKey
	sealKey  secret.Key
	skew     time.Duration

	part  part
	queue *queue.Queue

	mu   sync.Mutex
	open *edge.Counter // nil while the daemon is dead
}

func (c *counter) daemon() *edge.Counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

func (c *counter) setDaemon(d *edge.Counter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = d
}

// enrol makes a shop and binds it to the merchant.
func (h *house) enrol(name string, skew time.Duration) (*counter, error) {
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	registry := central.NewRegistry(h.store, h.bell, rand.Reader)
	code, err := registry.Mint(context.Background(), merchantID)
	if err != nil {
		return nil, err
	}
	t, err := registry.Enrol(context.Background(), code.Code, public, name)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if err := h.store.OpenSession(context.Background(), central.AgentSession{TID: t.TID, OpenedAt: now, ExpiresAt: now.Add(24 * time.Hour)}); err != nil {
		return nil, err
	}
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		return nil, err
	}
	return &counter{house: h, name: name, terminal: t, key: key, sealKey: secret.NewKey(raw), skew: skew}, nil
}

func (c *counter) now() time.Time { return time.Now().Add(c.skew) }

func (c *counter) start() error {
	h := c.house
	q, report, err := queue.Open(queue.Config{Path: filepath.Join(h.dir, c.name+".db"), Key: c.sealKey, Rand: rand.Reader, Now: c.now, Logger: h.log})
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if len(report.Damaged) > 0 || len(report.NoBody) > 0 || report.SetAside != "" {
		return errors.Join(fmt.Errorf("%s: the queue was set aside: %+v", c.name, report), q.Close())
	}
	c.queue = q
	agent, err := secret.ParseAadhaar("999933119405")
	if err != nil {
		return err
	}
	daemon, err := edge.New(q, &glass{keys: h.keys, aadhaar: customer, offset: func() time.Duration { return c.skew }}, edge.Config{
		Agent: "Fatima", AgentAadhaar: agent, Merchant: "Lakshmi Kirana Store", TID: c.terminal.TID,
		Latitude: "18.5204", Longitude: "73.8567", VerifyPIN: func(secret.OTP) (bool, error) { return true, nil },
		Now: c.now, Rand: rand.Reader, Logger: h.log,
	})
	if err != nil {
		return err
	}
	line, err := edgeuplink.New(edgeuplink.Config{
		URL: "ws://" + nameUplink + "/uplink", Plain: true, TerminalID: string(c.terminal.ID), Audience: audience, Key: c.key, Version: "sim",
		DialContext: h.network.dialer(c.name, nameUplink), OnChange: daemon.Changed, Now: c.now, Rand: rand.Reader, Logger: h.log,
		Addresses: func() ([]net.Addr, error) { return nil, nil },
	}, daemon)
	if err != nil {
		return err
	}
	daemon.Attach(line)
	h.run(&c.part, daemon.Run, line.Run)
	c.setDaemon(daemon)
	return nil
}

// kill is kill -9 of the counter's daemon.
func (c *counter) kill() {
	c.setDaemon(nil)
	c.part.ending.Store(true)
	c.queue.Abandon()
	c.house.network.sever(c.name)
	c.part.cancel()
	c.part.done.Wait()
}

func (c *counter) stop() {
	c.part.cancel()
	c.part.done.Wait()
	if err := c.queue.Close(); err != nil {
		c.house.complain("%s: close the queue: %v", c.name, err)
	}
}

// withdraw is a customer at the counter.
func withdraw(daemon *edge.Counter, amount money.Paise) (op.ID, error) {
	aadhaar, err := secret.ParseAadhaar(customer)
	if err != nil {
		return "", err
	}
	v, err := daemon.Begin(context.Background(), edge.Draft{
		Route: op.Withdrawal, Aadhaar: aadhaar, Customer: "Shivshankar", IIN: customerIIN, Amount: amount, Consent: "en-1", Operator: "Fatima",
	})
	if err != nil {
		return "", err
	}
	return v.ID, daemon.Capture(v.ID)
}
