// Package printer is the section of the receipt printer: its state as a chip on every
// page, the page with its settings and test, and the printing of slips.
//
// No page waits for the printer: a slip is queued or refused at once, and its result is
// shown when it is known; browser printing always works. The first slip of an operation is
// the original, each later one is marked DUPLICATE with number and time. The count is on
// disk before the slip is queued, so that no crash makes a second original; it is reverted
// only if the printer received no byte of the slip. Double click and reload print once. A
// slip is in the language of the customer's consent, else the user's. An owner sets the
// printer up, with immediate effect; slips queued for the old printer fail and can be
// printed again.
//
// Operations enter through Counter, and leave as jobs of edge/printing/printer.
// Config.Save stores the settings.
package printer
