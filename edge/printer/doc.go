// Package printer owns the counter's receipt printer: one goroutine, one port,
// a short queue.
//
// What it promises:
//
//   - Nothing waits for a printer. Print puts a job into the queue or refuses it
//     at once; State is what was seen last.
//   - One goroutine opens the port, and only while it looks or prints, so that a
//     printer that was unplugged and plugged in again is simply found.
//   - Every step has an end: opening, each answer, each piece of a job, the job.
//     A printer that stalls costs its job, not the counter.
//   - A job is sent at most once. What fails is told in State and left to the
//     agent to print again, since half of a slip may be on paper. Jobs survive
//     no restart.
//   - 'Printed' is said only where the printer answered after the job that it is
//     well; a printer that never answers gives 'sent'. Garbage on the line is
//     neither: it means a wrong speed or another device, and no job is sent.
//
// Jobs enter by Print as ESC/POS bytes (galla/edge/escpos) and leave over a
// serial port, a printer device of the kernel (/dev/usb/lp0), or TCP port 9100.
package printer
