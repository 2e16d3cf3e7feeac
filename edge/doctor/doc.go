// Package doctor examines a counter and says in plain words what to do: its
// readers, their certificates, printer, disk, queue, line, and the clock
// against the central's.
//
// It promises to change nothing but a file of its own that it writes and
// removes, to end within Limit, and to tell nothing personal: no number, name,
// serial or path of a person or shop is in its report, so that it can be sent
// to support. It never opens the queue, which belongs to the counter that runs.
//
// A Config says what to examine; the findings leave as a Report, which writes
// itself as text for people.
package doctor
