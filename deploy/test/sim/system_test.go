package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"galla/central"
	"galla/central/api"
	"galla/central/bank"
	"galla/central/bank/simbank"

	"galla/central/limits"
	"galla/central/store"
	centraluplink "galla/central/uplink"
	"galla/shared/money"
	"galla/shared/secret"
)

// Names of the parts on the network.
const (
	nameNetwork    = "network"   // the bank's
	nameFaultyBank = "middleman" // the faulty proxy of the bank's network, which some requests pass
	nameConsole    = "console"   // the bank's, for tests
	customer       = "999941057058"
	customerIIN    = "990326"
	audience       = "sim"
)

// nodeNames are the centrals and their uplinks, by which counters find them.
var (
	nodeNames   = []string{"central-1", "central-2"}
	uplinkNames = []string{"uplink-1", "uplink-2"}
)

func isUplink(name string) bool { return name == uplinkNames[0] || name == uplinkNames[1] }

// process runs, can be killed, and can be started again with the same files.
type process struct {
	name     string
	start    func() error
	kill     func() error
	mu       chan struct{} // held to start or kill it
	up       atomic.Bool
	cancel   context.CancelFunc
	done     sync.WaitGroup
	stopping atomic.Bool // from here on, a loop may end as it likes
	starts   int
}

func newProcess(name string) *process { return &process{name: name, mu: make(chan struct{}, 1)} }

// system is one story's parts.
type system struct {
	dir      string
	seed     uint64
	snapshot *snapshot
	network  *memNetwork
	trace    *trace
	log      *slog.Logger

	bankPart *process
	bank     *simbank.Bank
	nodes    []*centralNode
	counters []*counter
	crashed  chan *process // parts whose machine died, or that gave up

	mu            sync.Mutex
	violations    []string
	finalReplies  map[string]finalReply // a central's last reply about a final operation, by identity
	tombstones    map[string]bool       // identities that a central declared never seen
	paidTransfers map[string]bool       // references of transfers whose success was reported to a partner
}

func newSystem(seed uint64, b *snapshot, dir string, log *slog.Logger) *system {
	t := newTrace()
	t.startedAt = time.Now()
	return &system{
		dir: dir, seed: seed, snapshot: b, trace: t, network: newMemNetwork(seed, t), log: log,
		crashed: make(chan *process, 64), finalReplies: map[string]finalReply{}, tombstones: map[string]bool{}, paidTransfers: map[string]bool{},
	}
}

// maxComplaints bounds the violations that one story reports: the first ones say most.
const maxComplaints = 20

func (h *system) violation(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.violations) < maxComplaints {
		h.violations = append(h.violations, fmt.Sprintf(format, args...))
	}
}

// needsRestart marks a part for the restarter.
func (h *system) needsRestart(p *process) {
	select {
	case h.crashed <- p:
	default: // the restarter has enough to do
	}
}

// run starts a part's loops; one that ends by itself stops the part, as the program
// would end.
func (h *system) run(p *process, failing func() bool, loops ...func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.stopping.Store(false)
	for _, loop := range loops {
		p.done.Go(func() {
			if err := loop(ctx); err != nil && !p.stopping.Load() {
				if failing == nil || !failing() {
					h.violation("%s ended by itself: %v", p.name, err)
				}
				h.needsRestart(p)
			}
		})
	}
	p.starts++
	p.up.Store(true)
}

// restart kills a part and starts it again after a pause. It does nothing while
// somebody else does.
func (h *system) restart(p *process, pause time.Duration) {
	select {
	case p.mu <- struct{}{}:
	default:
		return
	}
	defer func() { <-p.mu }()
	if p.up.Load() {
		p.up.Store(false)
		if err := p.kill(); err != nil {
			h.violation("%s: kill: %v", p.name, err)
		}
	}
	time.Sleep(pause)
	if err := p.start(); err != nil {
		h.violation("%s did not come back: %v", p.name, err)
	}
}

// waitForStarts waits until nobody starts or kills a part.
func (h *system) waitForStarts() {
	for _, p := range h.parts() {
		p.mu <- struct{}{}
		<-p.mu
	}
}

func (h *system) parts() []*process {
	out := []*process{h.bankPart}
	for _, o := range h.nodes {
		out = append(out, o.process)
	}
	for _, c := range h.counters {
		out = append(out, c.process)
	}
	return out
}

func (h *system) listen(name string) func(context.Context) (net.Listener, error) {
	return func(context.Context) (net.Listener, error) { return h.network.listen(name), nil }
}

// addBank makes the bank, which is not started yet.
func (h *system) addBank() {
	h.bankPart = newProcess("bank")
	h.bankPart.start, h.bankPart.kill = h.startBank, h.stopBank
}

func (h *system) startBank() error {
	people, err := customers()
	if err != nil {
		return err
	}
	b, err := simbank.New(context.Background(), simbank.Config{
		DataDir: filepath.Join(h.dir, "bank"), NetworkKey: h.snapshot.keys.network,
		AuthorityKey: h.snapshot.keys.authorityKey, AuthorityCert: h.snapshot.keys.authority,
		ListenPublic: h.listen(nameConsole), ListenNetwork: h.listen(nameNetwork),
		NotifyURL: "http://notify", DialNotify: h.network.dialer("bank", notifyNames...),
		Customers: people, DailyCeiling: 10_00_000 * money.Rupee, DayLimit: 10_00_000 * money.Rupee, MonthLimit: 10_00_000 * money.Rupee,
		Rand: newSeededReader(h.seed, "bank", h.bankPart.starts), Logger: h.log,
	})
	if err != nil {
		return fmt.Errorf("bank: %w", err)
	}
	h.setBank(b)
	h.run(h.bankPart, nil, b.Run)
	return nil
}

func (h *system) setBank(b *simbank.Bank) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bank = b
}

// books gives the bank while it is open, else nil.
func (h *system) books() *simbank.Bank {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bank
}

// stopBank ends the bank's process: its connections break first.
func (h *system) stopBank() error {
	b := h.books()
	h.setBank(nil)
	h.bankPart.stopping.Store(true)
	h.network.disconnectPart(nameNetwork)
	h.bankPart.cancel()
	h.bankPart.done.Wait()
	return b.Close()
}

// centralNode is one central. All centrals of a system share one database.
type centralNode struct {
	*process
	system     *system
	uplink     string
	notify     string // where it hears the bank's reports
	disk       *disk
	store      *store.DB
	bank       *bank.Client    // with the connections that it keeps
	httpServer central.Handler // the direct one, since the last start
}

func (h *system) addNode(n int) *centralNode {
	o := &centralNode{process: newProcess(nodeNames[n]), system: h, uplink: uplinkNames[n], notify: notifyNames[n]}
	o.disk = &disk{name: o.name, trace: h.trace, rng: newRNG(h.seed, "disk of "+o.name), onCrash: func() { h.needsRestart(o.process) }}
	o.process.start, o.process.kill = o.start, o.kill
	h.nodes = append(h.nodes, o)
	return o
}

func (o *centralNode) start() error {
	h := o.system
	random := func(of string) *seededReader { return newSeededReader(h.seed, o.name+" "+of, o.starts) }
	db, err := store.OpenSQLite(context.Background(), filepath.Join(h.dir, "central.db"), store.Config{Node: o.name, Readers: 1, Logger: h.log})
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	o.disk.restart()
	o.store = db
	kept := faultyStore{DB: db, disk: o.disk}
	notifier := central.NewNotifier()
	client, err := bank.New(bank.Config{
		BaseURL: "http://" + nameNetwork, Key: h.snapshot.keys.network, DialContext: h.network.dialer(o.name, nameNetwork), Logger: h.log,
	})
	if err != nil {
		return err
	}
	o.bank = client
	engine, err := central.NewEngine(kept, client, api.Renderer{}, notifier, central.EngineConfig{
		Node: o.name, Enquiries: central.EnquiryConfig{Max: 30 * time.Second, Poll: 2 * time.Second}, Rand: random("engine"), Logger: h.log,
	})
	if err != nil {
		return err
	}
	rules, err := limits.Sandbox()
	if err != nil {
		return err
	}
	received, reports, err := o.addPayments(kept, rules, notifier)
	if err != nil {
		return err
	}
	handler, err := api.New(engine, central.NewTerminalRegistry(kept, notifier, random("registry")), kept, kept, kept, api.Config{
		FingerprintKey: h.snapshot.keys.fing, UplinkURL: "ws://uplink", Audience: audience,
		Payments: received, Limits: rules, UPIHandle: "galla", Sandbox: true, Rand: random("dispatcher"), Logger: h.log,
	})
	if err != nil {
		return err
	}
	terminals, err := centraluplink.New(replyChecker{handler, h}, kept, notifier, centraluplink.Config{
		Audience: audience, Poll: 5 * time.Second, Logger: h.log, Rand: random("uplink"),
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	o.httpServer = handler
	h.mu.Unlock()
	l := h.network.listen(o.uplink)
	h.run(o.process, o.disk.failing, append(reports, engine.Run, func(ctx context.Context) error { return terminals.Run(ctx, l) })...)
	return nil
}

// kill is kill -9: nothing more is committed, every connection breaks, and only then
// does the code notice.
func (o *centralNode) kill() error {
	o.stopping.Store(true)
	o.disk.die()
	err := o.store.Abandon()
	o.system.network.disconnectPart(o.name)
	o.system.network.disconnectPart(o.uplink)
	o.system.network.disconnectPart(o.notify)
	o.cancel()
	o.done.Wait()
	o.bank.Close() // what it kept was cut already
	return err
}

func (o *centralNode) stop() error {
	o.stopping.Store(true)
	o.cancel()
	o.done.Wait()
	o.bank.Close()
	return o.store.Close()
}

// enrol binds a counter to a merchant.
func (h *system) enrol(db *store.DB, s *shop) error {
	random := newSeededReader(0, s.title, 0)
	registry := central.NewTerminalRegistry(db, central.NewNotifier(), random)
	code, err := registry.CreateEnrolmentCode(context.Background(), s.merchant, central.Credential{})
	if err != nil {
		return err
	}
	t, err := registry.Enrol(context.Background(), code.Code, s.public, s.title)
	if err != nil {
		return err
	}
	s.terminal = t
	now := time.Now()
	return db.OpenSession(context.Background(), central.AgentSession{TID: t.TID, OpenedAt: now, ExpiresAt: now.Add(24 * time.Hour)})
}

// close ends everything in order.
func (h *system) close() error {
	var errs []error
	for _, c := range h.counters {
		errs = append(errs, c.stop())
	}
	for _, o := range h.nodes {
		errs = append(errs, o.stop())
	}
	errs = append(errs, h.stopBank())
	time.Sleep(time.Minute) // what timers leave
	return errors.Join(errs...)
}

// customers are the bank's customers: one, with enough money for any story.
func customers() ([]simbank.Customer, error) {
	a, err := secret.ParseAadhaar(customer)
	return []simbank.Customer{{
		Aadhaar: a, Name: "Shivshankar Choudhury", Bank: "Sandbox Test Bank", IIN: customerIIN, Mobile: payer, Opening: 10_00_000 * money.Rupee,
	}}, err
}
