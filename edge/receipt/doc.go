// Package receipt makes the customer's slip of an operation.
//
// Make turns a record into a Receipt: titled facts as plain text, for a page to
// lay out. Text lays the same out for paper of 32 or 48 columns (58 and 80 mm
// printers). Slip makes it a job for a printer, with the reference as QR code:
// as characters where the printer has them all, else as a raster. A reprint is
// marked DUPLICATE, with its number and time. All is in the language of the
// words that are given to Make, which hold this room's Catalogue.
//
// What it promises:
//
//   - The first thing it says is the result, in the customer's words: 'Cash
//     withdrawal successful', 'No money moved', 'Bank has not answered'. 'Give
//     cash' is for the agent, and never stands here.
//   - A slip of a pending operation says to keep it, and by which day the money
//     is back or paid (T+5), with the references to ask for it by.
//   - The Aadhaar number is masked: XXXXXXXX1234, whatever the record holds, and
//     so is a number of its form that was typed as a person's name.
//   - The balance is printed only where it was asked for.
//   - Texts of the bank are shown without control characters, so that none can
//     command a printer, and bounded. A line of a mini statement that can't be
//     read is shown as it came; none is left out.
//
// Times are Indian Standard Time, whatever the computer's zone. What became of an
// operation is told.Outcome's to say; the slip has words of its own for it, since
// it speaks to the customer.
package receipt
