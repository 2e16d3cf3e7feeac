// Package watch holds what an operator's Prometheus and Grafana load: alert
// rules (galla.rules.yml) with their unit tests (galla.test.yml), and dashboards
// (*.dashboard.json). It has no code of its own.
//
// Its tests promise that every metric and label that a rule or a panel names is
// one that a central exports, that every expression is PromQL, that every alert
// is seen to fire and to be quiet, and says what to do. Data enters as the
// files, the sources of the rooms that export metrics, and a running central's
// /metrics; nothing leaves.
//
// pictures/ shows what they look like over a sandbox, in Prometheus's own pages:
// two minutes of withdrawals, then the bank network is stopped, and three minutes
// later GallaBankUnreachable fires (panels.png; alerts.png is of a Prometheus that
// was started anew while the bank was still down).
package watch
