// Package monitoring holds what an operator's Prometheus and Grafana load: alert
// rules (galla.rules.yml) with their unit tests (galla.test.yml), and dashboards
// (*.dashboard.json). It has no code of its own.
//
// Its tests promise that a central exports every metric and label that a rule or a
// panel names, that every expression is valid PromQL, and that every alert fires, stays
// silent when it should, and says what to do. They read the files, the sources of the
// packages that export metrics, and the /metrics of a running central.
//
// pictures/ shows both over a sandbox in Prometheus's own pages: two minutes of
// withdrawals, then the bank network is stopped, and three minutes later
// GallaBankUnreachable fires (panels.png). For alerts.png Prometheus was restarted
// while the bank was still down.
package monitoring
