// Package doctor examines a counter and says what to do: readers, certificates,
// printer, disk, queue, connection, and the clock against the central's.
//
// It promises to change nothing except for one test file, to end within Limit, and
// to report nothing personal: no number, name, serial or path of a person or shop,
// so that the report can be sent to support. It never opens the queue, which
// belongs to the running counter. Config enters; Report leaves, also as text.
package doctor
