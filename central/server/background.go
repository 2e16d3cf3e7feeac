package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"galla/central"
	"galla/central/jobs"
	"galla/central/reconcile"
	"galla/central/store"
	"galla/central/webhook"
	"galla/shared/secret"
)

// background runs the jobs of this node beside the engine's own: callbacks and scheduled
// jobs.
type background struct {
	worker    *central.JobRunner
	deliverer *webhook.Deliverer
	store     *store.DB
	log       *slog.Logger
}

// newBackground creates the jobs of this node.
func newBackground(cfg Config, masters []secret.Key, db *store.DB, scheduled ...jobs.ScheduledJob) (*background, error) {
	deliverer, err := newDeliverer(cfg, masters, db)
	if err != nil {
		return nil, err
	}
	list := []central.Job{deliverer.Job()}
	if len(scheduled) > 0 {
		regular, err := jobs.SchedulerJob(db, cfg.Logger, scheduled...)
		if err != nil {
			return nil, err
		}
		list = append(list, regular)
	}
	w, err := central.NewJobRunner(cfg.Logger, list...)
	if err != nil {
		return nil, err
	}
	return &background{worker: w, deliverer: deliverer, store: db, log: cfg.Logger}, nil
}

// run runs the jobs until ctx ends, and waits for tasks under way.
func (d *background) run(ctx context.Context) error {
	defer d.deliverer.Close()
	return d.worker.Run(ctx)
}

// Describe implements prometheus.Collector.
func (d *background) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(d, ch) }

// Collect implements prometheus.Collector.
func (d *background) Collect(ch chan<- prometheus.Metric) {
	gauge := metricSink(ch).gauge
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	if n, err := d.store.CallbackBacklog(ctx); err != nil {
		d.log.Warn("callbacks can't be counted", "error", err)
	} else {
		gauge("callbacks_waiting", "Callbacks that are not delivered yet.", float64(n.Waiting))
		gauge("callbacks_given_up", "Callbacks that were given up and not replayed.", float64(n.GivenUp))
		gauge("callback_endpoints_disabled", "Merchants whose receiver answered 410 Gone.", float64(n.Disabled))
		age := 0.0
		if !n.Oldest.IsZero() {
			age = max(0, time.Since(n.Oldest).Seconds())
		}
		gauge("callback_oldest_seconds", "Age of the oldest callback that is not delivered.", age)
	}
	d.countCases(ctx, ch)
	d.countAttempts(ch)
	d.countJobs(ch)
	d.countReports(ctx, ch)
	if list, err := d.store.ListJobs(ctx); err != nil {
		d.log.Warn("scheduled jobs can't be listed", "error", err)
	} else {
		countScheduledJobs(ch, list)
	}
}

// countCases counts the cases of reconciliation; every node reports the same values.
func (d *background) countCases(ctx context.Context, ch chan<- prometheus.Metric) {
	gauge := metricSink(ch).gauge
	n, err := d.store.ReconciliationBacklog(ctx)
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
	gauge("reconciliation_cases_waiting", "Reconciliation cases that are not decided.", float64(n.Open.Count+n.Proposed.Count))
	gauge("reconciliation_cases_proposed", "Reconciliation cases that wait for a second person.", float64(n.Proposed.Count))
	gauge("reconciliation_case_oldest_seconds", "Age of the oldest case that is not decided; 0: there is none.", age)
	gauge("reconciliation_cases_manual", "Cases that people opened, without a file, and that are not decided.", float64(n.ByHand))
	decided := describe("reconciliation_cases_decided", "Cases that two people have decided and not withdrawn, by verdict; succeeded, failed and reversed finish an operation.", "verdict")
	for v, n := range map[reconcile.Verdict]int{reconcile.Succeeded: n.ByPeople.Succeeded, reconcile.Failed: n.ByPeople.Failed, reconcile.Reversed: n.ByPeople.Reversed, reconcile.Noted: n.ByPeople.Noted} {
		ch <- prometheus.MustNewConstMetric(decided, prometheus.GaugeValue, float64(n), string(v))
	}
	since := 0.0
	if !n.LastAt.IsZero() {
		since = max(0, time.Since(n.LastAt).Seconds())
	}
	gauge("settlement_file_age_seconds", "Time since a settlement file of the bank was imported; 0: none ever was.", since)
}

func (d *background) countAttempts(ch chan<- prometheus.Metric) {
	n := d.deliverer.Counts()
	attempts := describe("callback_attempts_total", "Attempts of this node to deliver callbacks, by result.", "result")
	for result, value := range map[webhook.Result]int64{webhook.ResultDelivered: n.Delivered, webhook.ResultRetry: n.Failed, webhook.ResultGivenUp: n.GivenUp, webhook.ResultGone: n.Gone} {
		ch <- prometheus.MustNewConstMetric(attempts, prometheus.CounterValue, float64(value), string(result))
	}
}

func (d *background) countJobs(ch chan<- prometheus.Metric) {
	tasks := describe("job_tasks_total", "Tasks that this node has done, by job.", "name")
	faults := describe("job_faults_total", "Claims that failed, and panics in tasks, by job.", "name")
	for name, n := range d.worker.Counts() {
		ch <- prometheus.MustNewConstMetric(tasks, prometheus.CounterValue, float64(n.Done), name)
		ch <- prometheus.MustNewConstMetric(faults, prometheus.CounterValue, float64(n.Faults+n.Panics), name)
	}
}

func countScheduledJobs(ch chan<- prometheus.Metric, list []jobs.JobRecord) {
	failures := describe("scheduled_job_failures", "Consecutive failed runs of a scheduled job, on any node.", "name")
	late := describe("scheduled_job_late_seconds", "Time since a scheduled job was due.", "name")
	for _, r := range list {
		ch <- prometheus.MustNewConstMetric(failures, prometheus.GaugeValue, float64(r.Failures), r.Name)
		ch <- prometheus.MustNewConstMetric(late, prometheus.GaugeValue, max(0, time.Since(r.DueAt).Seconds()), r.Name)
	}
}

// newDeliverer creates the deliverer of callbacks.
func newDeliverer(cfg Config, masters []secret.Key, db *store.DB) (*webhook.Deliverer, error) {
	vault, err := webhook.NewVault(db, masters, cfg.Rand)
	if err != nil {
		return nil, err
	}
	return webhook.New(db, vault, webhook.Config{Sandbox: cfg.Sandbox, Rand: cfg.Rand, Logger: cfg.Logger})
}
