// Package receipt makes the customer's slip of an operation.
//
// New turns a record into a Receipt: facts as plain text, for a page. Text lays it out for
// paper of 32 or 48 columns (58 and 80 mm). Slip makes a print job with the reference as
// QR code: as characters where the printer has them all, else as a raster. A reprint is
// marked DUPLICATE, with its number and time. All is in the language given to New.
//
// The slip first states the result in the customer's words: 'Cash withdrawal successful',
// 'No money moved', 'Bank has not answered'; advice for the agent such as 'Give cash' is
// not on it. The slip of a pending operation says to keep it and by which day the money is
// returned or paid (T+5), with the references. The Aadhaar number is masked, also one that
// was typed as a person's name. The balance is printed only if it was asked for. Texts of
// the bank are bounded and have no control characters; a line of a mini statement that
// can't be read is printed unchanged.
//
// Times are Indian Standard Time. The outcome comes from outcome.Of; the slip has its own
// words for it, for the customer.
package receipt
