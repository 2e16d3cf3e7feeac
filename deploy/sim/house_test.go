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
	"galla/central/bank"
	"galla/central/bank/simbank"
	"galla/central/contract"
	"galla/central/enquiry"
	"galla/central/limits"
	"galla/central/store"
	centraluplink "galla/central/uplink"
	"galla/shared/money"
	"galla/shared/secret"
)

// Names of the parts on the network.
const (
	nameNetwork   = "network"   // the bank's
	nameMiddleman = "middleman" // of the bank's network, whom some requests meet
	nameDesk      = "desk"      // the bank's, for tests
	customer      = "999941057058"
	customerIIN   = "990326"
	audience      = "sim"
)

// officeNames are the centrals and their uplinks, by which counters find them.
var (
	officeNames = []string{"central-1", "central-2"}
	uplinkNames = []string{"uplink-1", "uplink-2"}
)

func isUplink(name string) bool { return name == uplinkNames[0] || name == uplinkNames[1] }

// part is something that runs, can be killed, and can be started again over
// the same files.
type part struct {
	name   string
	start  func() error
	kill   func() error
	turn   chan struct{} // held by whoever starts or kills it
	up     atomic.Bool
	cancel context.CancelFunc
	done   sync.WaitGroup
	ending atomic.Bool // from here on, a loop may end as it likes
	lives  int
}

func newPart(name string) *part { return &part{name: name, turn: make(chan struct{}, 1)} }

// house is one story's parts.
type house struct {
	dir     string
	seed    uint64
	base    *base
	network *ether
	tape    *tape
	log     *slog.Logger

	bankPart *part
	bank     *simbank.Bank
	offices  []*office
	counters []*counter
	died     chan *part // parts whose machine died, or that gave up

	mu         sync.Mutex
	complaints []string
	told       map[string]telling // what a central said last of a final operation, by identity
	forsworn   map[string]bool    // identities that a central declared never seen
	paid       map[string]bool    // references of transfers whose success a partner was told
}

func newHouse(seed uint64, b *base, dir string, log *slog.Logger) *house {
	t := newTape()
	t.begun = time.Now()
	return &house{
		dir: dir, seed: seed, base: b, tape: t, network: newEther(seed, t), log: log,
		died: make(chan *part, 64), told: map[string]telling{}, forsworn: map[string]bool{}, paid: map[string]bool{},
	}
}

// maxComplaints bounds what one story says: the first tell the most.
const maxComplaints = 20

func (h *house) complain(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.complaints) < maxComplaints {
		h.complaints = append(h.complaints, fmt.Sprintf(format, args...))
	}
}

// report notes that a part needs the warden.
func (h *house) report(p *part) {
	select {
	case h.died <- p:
	default: // the warden has enough to do
	}
}

// run starts a part's loops; one that ends by itself brings the part down, as
// the program would end.
func (h *house) run(p *part, failing func() bool, loops ...func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.ending.Store(false)
	for _, loop := range loops {
		p.done.Go(func() {
			if err := loop(ctx); err != nil && !p.ending.Load() {
				if failing == nil || !failing() {
					h.complain("%s ended by itself: %v", p.name, err)
				}
				h.report(p)
			}
		})
	}
	p.lives++
	p.up.Store(true)
}

// bounce kills a part and starts it again after a pause. It does nothing where
// somebody else is at it.
func (h *house) bounce(p *part, pause time.Duration) {
	select {
	case p.turn <- struct{}{}:
	default:
		return
	}
	defer func() { <-p.turn }()
	if p.up.Load() {
		p.up.Store(false)
		if err := p.kill(); err != nil {
			h.complain("%s: kill: %v", p.name, err)
		}
	}
	time.Sleep(pause)
	if err := p.start(); err != nil {
		h.complain("%s did not come back: %v", p.name, err)
	}
}

// settle waits until nobody is about to start or kill a part.
func (h *house) settle() {
	for _, p := range h.parts() {
		p.turn <- struct{}{}
		<-p.turn
	}
}

func (h *house) parts() []*part {
	out := []*part{h.bankPart}
	for _, o := range h.offices {
		out = append(out, o.part)
	}
	for _, c := range h.counters {
		out = append(out, c.part)
	}
	return out
}

func (h *house) listen(name string) func(context.Context) (net.Listener, error) {
	return func(context.Context) (net.Listener, error) { return h.network.listen(name), nil }
}

// addBank makes the bank, which is not started yet.
func (h *house) addBank() {
	h.bankPart = newPart("bank")
	h.bankPart.start, h.bankPart.kill = h.startBank, h.stopBank
}

func (h *house) startBank() error {
	people, err := residents()
	if err != nil {
		return err
	}
	b, err := simbank.New(context.Background(), simbank.Config{
		DataDir: filepath.Join(h.dir, "bank"), NetworkKey: h.base.keys.network,
		AuthorityKey: h.base.keys.authorityKey, AuthorityCert: h.base.keys.authority,
		ListenDesk: h.listen(nameDesk), ListenNetwork: h.listen(nameNetwork),
		Customers: people, DailyCeiling: 10_00_000 * money.Rupee, DayLimit: 10_00_000 * money.Rupee, MonthLimit: 10_00_000 * money.Rupee,
		Rand: newEntropy(h.seed, "bank", h.bankPart.lives), Logger: h.log,
	})
	if err != nil {
		return fmt.Errorf("bank: %w", err)
	}
	h.setBank(b)
	h.run(h.bankPart, nil, b.Run)
	return nil
}

func (h *house) setBank(b *simbank.Bank) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bank = b
}

// books gives the bank while it is open, else nil.
func (h *house) books() *simbank.Bank {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bank
}

// stopBank ends the bank's process: its connections break first.
func (h *house) stopBank() error {
	b := h.books()
	h.setBank(nil)
	h.bankPart.ending.Store(true)
	h.network.sever(nameNetwork)
	h.bankPart.cancel()
	h.bankPart.done.Wait()
	return b.Close()
}

// office is one central. All offices of a house share one database.
type office struct {
	*part
	house  *house
	uplink string
	disk   *disk
	store  *store.DB
	door   central.Dispatcher // the direct one; of its present life
}

func (h *house) addOffice(n int) *office {
	o := &office{part: newPart(officeNames[n]), house: h, uplink: uplinkNames[n]}
	o.disk = &disk{name: o.name, tape: h.tape, luck: newChance(h.seed, "disk of "+o.name), died: func() { h.report(o.part) }}
	o.part.start, o.part.kill = o.start, o.kill
	h.offices = append(h.offices, o)
	return o
}

func (o *office) start() error {
	h := o.house
	random := func(of string) *entropy { return newEntropy(h.seed, o.name+" "+of, o.lives) }
	db, err := store.OpenSQLite(context.Background(), filepath.Join(h.dir, "central.db"), store.Config{Node: o.name, Readers: 1, Logger: h.log})
	if err != nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	o.disk.boot()
	o.store = db
	kept := ledger{DB: db, disk: o.disk}
	bell := central.NewBell()
	client, err := bank.New(bank.Config{
		BaseURL: "http://" + nameNetwork, Key: h.base.keys.network, DialContext: h.network.dialer(o.name, nameNetwork), Logger: h.log,
	})
	if err != nil {
		return err
	}
	engine, err := central.NewEngine(kept, client, contract.Renderer{}, bell, central.EngineConfig{
		Node: o.name, Enquiries: enquiry.Config{Max: 30 * time.Second, Poll: 2 * time.Second}, Rand: random("engine"), Logger: h.log,
	})
	if err != nil {
		return err
	}
	rules, err := limits.Sandbox()
	if err != nil {
		return err
	}
	dispatcher, err := contract.New(engine, central.NewRegistry(kept, bell, random("registry")), kept, kept, contract.Config{
		FingerprintKey: h.base.keys.fing, UplinkURL: "ws://uplink", Audience: audience,
		Limits: rules, Handle: "galla", Sandbox: true, Rand: random("dispatcher"), Logger: h.log,
	})
	if err != nil {
		return err
	}
	terminals, err := centraluplink.New(witness{dispatcher, h}, kept, bell, centraluplink.Config{
		Audience: audience, Poll: 5 * time.Second, Logger: h.log, Rand: random("uplink"),
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	o.door = dispatcher
	h.mu.Unlock()
	l := h.network.listen(o.uplink)
	h.run(o.part, o.disk.failing, engine.Run, func(ctx context.Context) error { return terminals.Run(ctx, l) })
	return nil
}

// kill is kill -9: nothing more is committed, every connection breaks, and only
// then does the code notice.
func (o *office) kill() error {
	o.ending.Store(true)
	o.disk.die()
	err := o.store.Abandon()
	o.house.network.sever(o.name)
	o.house.network.sever(o.uplink)
	o.cancel()
	o.done.Wait()
	return err
}

func (o *office) stop() error {
	o.ending.Store(true)
	o.cancel()
	o.done.Wait()
	return o.store.Close()
}

// enrol binds a counter to a merchant.
func (h *house) enrol(db *store.DB, s *shop) error {
	random := newEntropy(0, s.title, 0)
	registry := central.NewRegistry(db, central.NewBell(), random)
	code, err := registry.Mint(context.Background(), s.merchant, central.Credential{})
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
func (h *house) close() error {
	var errs []error
	for _, c := range h.counters {
		errs = append(errs, c.stop())
	}
	for _, o := range h.offices {
		errs = append(errs, o.stop())
	}
	errs = append(errs, h.stopBank())
	time.Sleep(time.Minute) // what timers remain
	return errors.Join(errs...)
}

// residents are the bank's customers: one, who has enough for any story.
func residents() ([]simbank.Customer, error) {
	a, err := secret.ParseAadhaar(customer)
	return []simbank.Customer{{
		Aadhaar: a, Name: "Shivshankar Choudhury", Bank: "Sandbox Test Bank", IIN: customerIIN, Mobile: payer, Opening: 10_00_000 * money.Rupee,
	}}, err
}
