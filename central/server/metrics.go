package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"galla/central/customer"
	"galla/central/store"
)

// account collects what the parts of a central say of themselves, when somebody
// asks: what an operator looks at first.
type account struct{ admin }

// sink takes metrics.
type sink chan<- prometheus.Metric

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("galla_"+name, help, labels, nil)
}

func (s sink) gauge(name, help string, value float64) {
	s <- prometheus.MustNewConstMetric(describe(name, help), prometheus.GaugeValue, value)
}

func (s sink) counter(name, help string, value int64) {
	s <- prometheus.MustNewConstMetric(describe(name, help), prometheus.CounterValue, float64(value))
}

// Describe implements prometheus.Collector.
func (p account) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(p, ch) }

// Collect implements prometheus.Collector.
func (p account) Collect(ch chan<- prometheus.Metric) {
	s := sink(ch)
	info := describe("node_info", "The name of this central among those of its database, and its program's version.", "node", "version")
	s <- prometheus.MustNewConstMetric(info, prometheus.GaugeValue, 1, p.node, p.version)
	s.gauge("leaving", "1 while the central was told to stop.", bit(p.life.Leaving()))
	s.gauge("engine_running", "1 while operations are taken.", bit(p.engine.Running()))
	if end, ok := p.shown.Ends(); ok {
		s.gauge("certificate_seconds", "For how long the certificate of the public addresses is still valid.", time.Until(end).Seconds())
	}
	p.countBacklog(s)
	if load, pooled := p.store.Load(); pooled {
		s.gauge("database_connections_busy", "Connections to the database that calls have.", float64(load.Busy))
		s.gauge("database_connections_open", "Connections to the database.", float64(load.Open))
		s.gauge("database_connections_limit", "Connections to the database at most.", float64(load.Limit))
		s.gauge("database_calls_waiting", "Calls that wait for a connection to the database.", float64(load.Waiting))
	}
	if free, size, known := freeSpace(p.data); known {
		s.gauge("disk_free_bytes", "What may still be written on the disk of the data folder.", float64(free))
		s.gauge("disk_size_bytes", "The size of that disk.", float64(size))
	}
	p.countTerminals(s)
	p.countGateway(s)
	p.countSignIns(s)
}

// countSignIns tells who came to this node's console.
func (p account) countSignIns(s sink) {
	n := p.console.People.SignIns()
	signIns := describe("console_sign_ins_total", "Sign-ins at the operators' console, by what came of them: opened, refused (something was wrong), waiting (not looked at, after wrong tries).", "outcome")
	for outcome, n := range map[string]int64{"opened": n.Opened, "refused": n.Refused, "waiting": n.Waiting} {
		s <- prometheus.MustNewConstMetric(signIns, prometheus.CounterValue, float64(n), outcome)
	}
}

func bit(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// countBacklog tells of the whole house's operations: every node says the same.
func (p account) countBacklog(s sink) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	b, err := p.store.Backlog(ctx)
	s.gauge("database_reachable", "1 while the database answers.", bit(err == nil))
	if err != nil {
		p.log.Warn("the backlog can't be counted", "error", err)
		return
	}
	s.gauge("operations_pending", "Operations that wait for the bank's word, the stuck ones included.", float64(b.Pending.Count))
	if limited, err := p.store.LookupsLimited(ctx, time.Now().Add(-customer.LookupSpan)); err == nil {
		s.gauge("lookups_limited_merchants", "Merchants that looked up more of the bank's customers than they may, within the last hour: each page of a merchant has its numbers.", float64(limited))
	}
	s.gauge("operations_stuck", "Pending operations that wait for a person.", float64(b.Stuck.Count))
	open := describe("operations_open", "Operations that are not final, by state.", "state")
	oldest := describe("operations_oldest_seconds", "For how long the oldest operation has been under way that is in the state now; 0: there is none.", "state")
	now := time.Now()
	for state, w := range map[string]store.Waiting{"received": b.Received, "dispatched": b.Dispatched, "pending": b.Pending, "stuck": b.Stuck} {
		s <- prometheus.MustNewConstMetric(open, prometheus.GaugeValue, float64(w.Count), state)
		age := 0.0
		if !w.Oldest.IsZero() {
			age = max(0, now.Sub(w.Oldest).Seconds())
		}
		s <- prometheus.MustNewConstMetric(oldest, prometheus.GaugeValue, age, state)
	}
}

// countTerminals tells of the terminals that this node holds.
func (p account) countTerminals(s sink) {
	c := p.terminals.Census()
	s.gauge("terminals_connected", "Terminals with a live uplink.", float64(c.Connected))
	s.gauge("terminals_under_way", "Operations of terminals that are waited for.", float64(p.terminals.UnderWay()))
	s.gauge("terminals_unresolved", "Operations without a last word that the connected terminals told of when they connected, all together.", float64(c.Unresolved))
	s.gauge("terminals_unresolved_deepest", "The same, of the terminal with the most.", float64(c.Deepest))
	s.gauge("terminals_unresolved_waiting", "Connected terminals that told of any.", float64(c.Waiting))
	s.gauge("terminals_clock_wrong", "Connected terminals whose clock was off by more than a minute when they connected.", float64(c.ClockWrong))
	versions := describe("terminals_version", "Connected terminals, by their program's version.", "version")
	for version, n := range c.Versions {
		s <- prometheus.MustNewConstMetric(versions, prometheus.GaugeValue, float64(n), version)
	}
	n := p.terminals.Stats()
	s.counter("uplink_admitted_total", "Terminals that were let in.", n.Admitted)
	s.counter("uplink_unauthenticated_total", "Terminals that were refused: not enrolled, revoked, or with a wrong token.", n.Unauthenticated)
	s.counter("uplink_turned_away_total", "Terminals that were told to come back later.", n.TurnedAway)
	s.counter("uplink_strangers_total", "Tokens that proved nothing, from networks that had shown too many of them.", n.Strangers)
	s.counter("uplink_replaced_total", "Connections that were ended by the terminal's next one.", n.Replaced)
	s.counter("uplink_overrun_total", "Connections that were ended because the terminal read too slowly.", n.Overrun)
	s.counter("uplink_panics_total", "Panics of the uplink that were caught.", n.Panics)
}

// countGateway tells of the vendors' messages. Why a message was not authentic
// is told here and in the log, and never to its sender.
func (p account) countGateway(s sink) {
	n := p.gateway.Counts()
	s.counter("gateway_messages_total", "Messages that came to the vendor gateway.", n.Messages)
	s.counter("gateway_limited_total", "Messages of vendors over their limits.", n.Limited)
	refused := describe("gateway_refused_total", "Messages that were not authentic, by cause.", "cause")
	for cause, n := range n.Refused {
		s <- prometheus.MustNewConstMetric(refused, prometheus.CounterValue, float64(n), string(cause))
	}
	s.gauge("gateway_keys", "Live vendor keys that are held open.", float64(n.Keys))
	s.gauge("gateway_keys_worn", "Live vendor keys used 2^30 times or more, which should be replaced.", float64(n.WornKeys))
	s.gauge("gateway_keys_shut", "Live vendor keys that no master key opens.", float64(n.ShutKeys))
}
