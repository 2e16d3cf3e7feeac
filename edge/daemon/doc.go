// Package daemon connects all parts of the counter. It reads the configuration
// and the settings of the enrolment, opens the queue, and runs counter, uplink,
// reader and pages until it is stopped.
//
// Everything is in one folder: keys/ (mode 0600 each: the terminal's Ed25519 seed
// and the queue's key), settings.sealed (settings of the enrolment, the agent, the
// receipt printer and the reader), localname (the pages' host name, mode 0600) and
// queue.db. A backup without keys/ reveals nothing of customers.
package daemon
