package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"galla/central/callback"
	"galla/central/duty"
	"galla/central/settle"
	"galla/central/store"
	"galla/central/worker"
	"galla/shared/secret"
)

// duties is what the central does when nobody calls, besides the engine's own:
// callbacks and chores.
type duties struct {
	worker *worker.Worker
	teller *callback.Teller
	store  *store.DB
	log    *slog.Logger
}

// newDuties makes the duties of this node.
func newDuties(cfg Config, masters []secret.Key, db *store.DB, chores ...duty.Chore) (*duties, error) {
	teller, err := newTeller(cfg, masters, db)
	if err != nil {
		return nil, err
	}
	list := []worker.Duty{teller.Duty()}
	if len(chores) > 0 {
		regular, err := duty.ChoreDuty(db, cfg.Logger, chores...)
		if err != nil {
			return nil, err
		}
		list = append(list, regular)
	}
	w, err := worker.New(cfg.Logger, list...)
	if err != nil {
		return nil, err
	}
	return &duties{worker: w, teller: teller, store: db, log: cfg.Logger}, nil
}

// run carries them out until ctx ends, and waits for those under way.
func (d *duties) run(ctx context.Context) error {
	defer d.teller.Close()
	return d.worker.Run(ctx)
}

// Describe implements prometheus.Collector.
func (d *duties) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(d, ch) }

// Collect implements prometheus.Collector.
func (d *duties) Collect(ch chan<- prometheus.Metric) {
	gauge := sink(ch).gauge
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	if n, err := d.store.CallbackCounts(ctx); err != nil {
		d.log.Warn("callbacks can't be counted", "error", err)
	} else {
		gauge("callbacks_waiting", "Callbacks that are not delivered yet.", float64(n.Waiting))
		gauge("callbacks_given_up", "Callbacks that were given up, and not replayed.", float64(n.GivenUp))
		gauge("callback_endpoints_disabled", "Merchants whose receiver answered 410 Gone.", float64(n.Disabled))
		age := 0.0
		if !n.Oldest.IsZero() {
			age = max(0, time.Since(n.Oldest).Seconds())
		}
		gauge("callback_oldest_seconds", "For how long the callback that waits longest has been tried.", age)
	}
	d.countCases(ctx, ch)
	d.countAttempts(ch)
	d.countDuties(ch)
	if list, err := d.store.Chores(ctx); err != nil {
		d.log.Warn("chores can't be listed", "error", err)
	} else {
		countChores(ch, list)
	}
}

// countCases tells what reconciliation waits for: every node says the same.
func (d *duties) countCases(ctx context.Context, ch chan<- prometheus.Metric) {
	gauge := sink(ch).gauge
	n, err := d.store.SettlementBacklog(ctx)
	if err != nil {
		d.log.Warn("the cases of reconciliation can't be counted", "error", err)
		return
	}
	oldest, age := n.Open.Oldest, 0.0
	if oldest.IsZero() || !n.Proposed.Oldest.IsZero() && n.Proposed.Oldest.Before(oldest) {
		oldest = n.Proposed.Oldest
	}
	if !oldest.IsZero() {
		age = max(0, time.Since(oldest).Seconds())
	}
	gauge("settlement_cases_waiting", "Differences with the bank's files that nobody has decided.", float64(n.Open.Count+n.Proposed.Count))
	gauge("settlement_cases_proposed", "Those among them that one person has decided, and that wait for a second.", float64(n.Proposed.Count))
	gauge("settlement_case_oldest_seconds", "For how long the oldest of them has waited; 0: none does.", age)
	gauge("settlement_cases_by_hand", "Cases that people opened, without a file, and that nobody has decided.", float64(n.ByHand))
	decided := describe("settlement_cases_decided_by_people", "Cases that two people have decided and that were not withdrawn, by verdict; succeeded, failed and reversed settle an operation.", "verdict")
	for v, n := range map[settle.Verdict]int{settle.Succeeded: n.ByPeople.Succeeded, settle.Failed: n.ByPeople.Failed, settle.Reversed: n.ByPeople.Reversed, settle.Noted: n.ByPeople.Noted} {
		ch <- prometheus.MustNewConstMetric(decided, prometheus.GaugeValue, float64(n), string(v))
	}
	since := 0.0
	if !n.LastAt.IsZero() {
		since = max(0, time.Since(n.LastAt).Seconds())
	}
	gauge("settlement_file_age_seconds", "For how long none of the bank's files was imported; 0: none ever was.", since)
}

func (d *duties) countAttempts(ch chan<- prometheus.Metric) {
	n := d.teller.Counts()
	attempts := describe("callback_attempts_total", "Attempts of this node to deliver callbacks, by what they came to.", "verdict")
	for verdict, value := range map[duty.Verdict]int64{duty.Delivered: n.Delivered, duty.Again: n.Failed, duty.GivenUp: n.GivenUp, duty.Gone: n.Gone} {
		ch <- prometheus.MustNewConstMetric(attempts, prometheus.CounterValue, float64(value), string(verdict))
	}
}

func (d *duties) countDuties(ch chan<- prometheus.Metric) {
	tasks := describe("duty_tasks_total", "Tasks that this node's worker has done, by duty.", "duty")
	faults := describe("duty_faults_total", "Claims of work that failed, and panics in tasks, by duty.", "duty")
	for name, n := range d.worker.Counts() {
		ch <- prometheus.MustNewConstMetric(tasks, prometheus.CounterValue, float64(n.Done), name)
		ch <- prometheus.MustNewConstMetric(faults, prometheus.CounterValue, float64(n.Faults+n.Panics), name)
	}
}

func countChores(ch chan<- prometheus.Metric, list []duty.ChoreRecord) {
	failures := describe("chore_failures", "Runs of a chore that failed in a row, on whatever node.", "chore")
	late := describe("chore_late_seconds", "For how long a chore has been due.", "chore")
	for _, r := range list {
		ch <- prometheus.MustNewConstMetric(failures, prometheus.GaugeValue, float64(r.Failures), r.Name)
		ch <- prometheus.MustNewConstMetric(late, prometheus.GaugeValue, max(0, time.Since(r.DueAt).Seconds()), r.Name)
	}
}

// newTeller makes what delivers callbacks.
func newTeller(cfg Config, masters []secret.Key, db *store.DB) (*callback.Teller, error) {
	safe, err := callback.NewSafe(db, masters, cfg.Rand)
	if err != nil {
		return nil, err
	}
	return callback.New(db, safe, callback.Config{Sandbox: cfg.Sandbox, Rand: cfg.Rand, Logger: cfg.Logger})
}
