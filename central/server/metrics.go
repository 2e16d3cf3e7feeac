package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"galla/central/accounts"
	"galla/central/store"
)

// metricsCollector collects the metrics of a central's parts at each scrape.
type metricsCollector struct{ adminServer }

// metricSink receives metrics.
type metricSink chan<- prometheus.Metric

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("galla_"+name, help, labels, nil)
}

func (s metricSink) gauge(name, help string, value float64) {
	s <- prometheus.MustNewConstMetric(describe(name, help), prometheus.GaugeValue, value)
}

func (s metricSink) counter(name, help string, value int64) {
	s <- prometheus.MustNewConstMetric(describe(name, help), prometheus.CounterValue, float64(value))
}

// Describe implements prometheus.Collector.
func (p metricsCollector) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(p, ch) }

// Collect implements prometheus.Collector.
func (p metricsCollector) Collect(ch chan<- prometheus.Metric) {
	s := metricSink(ch)
	info := describe("node_info", "The name of this central among those of its database, and its program's version.", "node", "version")
	s <- prometheus.MustNewConstMetric(info, prometheus.GaugeValue, 1, p.node, p.version)
	s.gauge("stopping", "1 while the central stops.", boolGauge(p.lifecycle.Stopping()))
	s.gauge("engine_running", "1 while the engine accepts operations.", boolGauge(p.engine.Running()))
	if end, ok := p.certificate.NotAfter(); ok {
		s.gauge("certificate_seconds", "Time until the certificate of the public addresses ends.", time.Until(end).Seconds())
	}
	p.countBacklog(s)
	if load, pooled := p.store.PoolUsage(); pooled {
		s.gauge("database_connections_busy", "Connections to the database in use.", float64(load.Busy))
		s.gauge("database_connections_open", "Connections to the database.", float64(load.Open))
		s.gauge("database_connections_limit", "Limit of connections to the database.", float64(load.Limit))
		s.gauge("database_requests_waiting", "Requests that wait for a connection to the database.", float64(load.Waiting))
	}
	if free, size, known := freeSpace(p.data); known {
		s.gauge("disk_free_bytes", "Free bytes on the disk of the data folder.", float64(free))
		s.gauge("disk_size_bytes", "Size of the disk of the data folder.", float64(size))
	}
	opened, reused := p.bank.Connections()
	s.counter("bank_connections_opened_total", "Connections that were opened to the bank.", opened)
	s.counter("bank_connections_reused_total", "Requests to the bank that used a connection again.", reused)
	p.countTerminals(s)
	p.countGateway(s)
	p.countSignIns(s)
}

// countSignIns counts sign-ins at this node's console.
func (p metricsCollector) countSignIns(s metricSink) {
	n := p.console.Staff.SignIns()
	signIns := describe("console_sign_ins_total", "Sign-ins at the console, by outcome: opened, refused (wrong credentials), waiting (not checked, after wrong attempts).", "outcome")
	for outcome, n := range map[string]int64{"opened": n.Opened, "refused": n.Refused, "waiting": n.Waiting} {
		s <- prometheus.MustNewConstMetric(signIns, prometheus.CounterValue, float64(n), outcome)
	}
}

func boolGauge(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// countBacklog counts the operations in the database; every node reports the same values.
func (p metricsCollector) countBacklog(s metricSink) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	b, err := p.store.Backlog(ctx)
	s.gauge("database_reachable", "1 while the database answers.", boolGauge(err == nil))
	if err != nil {
		p.log.Warn("the backlog can't be counted", "error", err)
		return
	}
	s.gauge("operations_pending", "Operations that wait for the bank's answer, the stuck ones included.", float64(b.Pending.Count))
	if limited, err := p.store.LookupsLimited(ctx, time.Now().Add(-accounts.LookupWindow)); err == nil {
		s.gauge("lookups_limited_merchants", "Merchants that were over their limit of customer lookups within the last hour.", float64(limited))
	}
	s.gauge("operations_stuck", "Pending operations that wait for a person.", float64(b.Stuck.Count))
	open := describe("operations_open", "Operations that are not final, by state.", "state")
	oldest := describe("operations_oldest_seconds", "Age of the oldest operation in the state; 0: there is none.", "state")
	now := time.Now()
	for state, w := range map[string]store.BacklogCount{"received": b.Received, "sent": b.Sent, "pending": b.Pending, "stuck": b.Stuck} {
		s <- prometheus.MustNewConstMetric(open, prometheus.GaugeValue, float64(w.Count), state)
		age := 0.0
		if !w.Oldest.IsZero() {
			age = max(0, now.Sub(w.Oldest).Seconds())
		}
		s <- prometheus.MustNewConstMetric(oldest, prometheus.GaugeValue, age, state)
	}
}

// countTerminals counts the terminals that are connected to this node.
func (p metricsCollector) countTerminals(s metricSink) {
	c := p.terminals.Census()
	s.gauge("terminals_connected", "Terminals with a live uplink.", float64(c.Connected))
	s.gauge("terminals_under_way", "Operations of terminals under way on this node.", float64(p.terminals.UnderWay()))
	s.gauge("terminals_unresolved", "Operations without an outcome that the connected terminals reported when they connected.", float64(c.Unresolved))
	s.gauge("terminals_unresolved_max", "Operations without an outcome of the terminal that reported most.", float64(c.Deepest))
	s.gauge("terminals_unresolved_waiting", "Connected terminals that reported operations without an outcome.", float64(c.Waiting))
	s.gauge("terminals_clock_wrong", "Connected terminals whose clock was off by more than a minute when they connected.", float64(c.ClockWrong))
	versions := describe("terminals_version", "Connected terminals, by their program's version.", "version")
	for version, n := range c.Versions {
		s <- prometheus.MustNewConstMetric(versions, prometheus.GaugeValue, float64(n), version)
	}
	n := p.terminals.Stats()
	s.counter("uplink_admitted_total", "Terminals that were admitted.", n.Admitted)
	s.counter("uplink_unauthenticated_total", "Terminals that were refused: not enrolled, revoked, or with a wrong token.", n.Unauthenticated)
	s.counter("uplink_turned_away_total", "Terminals that were asked to connect later.", n.TurnedAway)
	s.counter("uplink_unknown_total", "Invalid tokens from networks that sent too many of them.", n.Unknown)
	s.counter("uplink_replaced_total", "Connections that were ended by the terminal's next one.", n.Replaced)
	s.counter("uplink_overrun_total", "Connections that were ended because the terminal read too slowly.", n.Overrun)
	s.counter("uplink_log_faults_total", "Terminals that connected with a checkpoint which the log does not continue, or whose log could not be read.", n.LogFaults)
	s.counter("uplink_panics_total", "Panics of the uplink that were caught.", n.Panics)
}

// countGateway counts the vendors' messages. The cause of a refusal is in the metrics
// and in the log, and never in the reply.
func (p metricsCollector) countGateway(s metricSink) {
	n := p.gateway.Counts()
	s.counter("gateway_messages_total", "Messages to the vendor gateway.", n.Messages)
	s.counter("gateway_limited_total", "Messages of vendors over their limits.", n.Limited)
	refused := describe("gateway_refused_total", "Messages that were not authentic, by cause.", "cause")
	for cause, n := range n.Refused {
		s <- prometheus.MustNewConstMetric(refused, prometheus.CounterValue, float64(n), string(cause))
	}
	s.gauge("gateway_keys", "Live vendor keys.", float64(n.Keys))
	s.gauge("gateway_keys_to_replace", "Live vendor keys that were used 2^30 times or more and should be replaced.", float64(n.KeysToReplace))
	s.gauge("gateway_keys_unopened", "Live vendor keys that no master key opens.", float64(n.UnopenedKeys))
}
