// Package paper is the counter's receipt printer as people see it: its state as
// a chip on every page, the page that sets it up and prints a test, and the step
// that prints a slip of an operation.
//
// What it promises:
//
//   - Nothing waits for the printer. A slip is queued or refused at once, and how
//     it ended is shown when it is known; the browser prints always.
//   - The first slip of an operation is the original, each later one is marked
//     DUPLICATE with its number and time. The count is on the disk before the
//     slip is queued, so that no crash makes a second original; it is taken back
//     only where the printer got no byte of the slip.
//   - A double click and a reload print once.
//   - A slip is in the language in which the customer consented, else in the
//     operator's.
//   - Who owns the counter sets the printer up, and that takes effect at once;
//     slips that wait for the old printer fail then, and can be printed again.
//
// Operations enter through Counter, and leave as jobs of galla/edge/printer.
// Settings are kept by the function that Config has for it.
package paper
