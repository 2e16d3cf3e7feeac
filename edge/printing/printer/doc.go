// Package printer owns the counter's receipt printer: one goroutine, one port, a short
// queue.
//
// No caller waits for a printer: Print queues a job or refuses it at once, and State is
// the last known state. The goroutine opens the port only to query or print, so a printer
// may be unplugged and plugged in again. Opening, each answer, each chunk and the whole
// job have timeouts: a stalled printer loses its job and blocks nothing.
//
// A job is sent at most once. A failure is reported in State, and the agent prints again,
// since half of a slip may be on paper. Jobs do not survive a restart. The result is
// 'printed' only if the printer answers after the job that it is ready; a printer that
// never answers gives 'sent'. Noise on the line is neither: it means a wrong speed or
// another device, and no job is sent.
//
// Jobs enter by Print as ESC/POS bytes (edge/printing/escpos) and leave over a serial
// port, a printer device of the kernel (/dev/usb/lp0), or TCP port 9100.
package printer
