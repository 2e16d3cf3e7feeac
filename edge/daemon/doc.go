// Package daemon is the edge's wiring: the only package that knows all its
// parts. It reads the configuration and what enrolment left, opens the queue,
// and runs counter, uplink, device and screen until it is told to stop.
//
// Everything lies under one folder: keys/ (mode 0600 each: the terminal's
// Ed25519 seed and the queue's sealing key), settings.sealed (what enrolment
// gave, the agent, the receipt printer and the reader), localname (the host name that the
// pages are served under, mode 0600) and queue.db. A backup without keys/ tells
// nothing of customers.
package daemon
