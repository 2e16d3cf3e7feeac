// Package keep is what a central keeps, for how long, and what it may say after
// its database was put back from a copy.
//
// # Bodies
//
// The identity of an operation is never forgotten: whoever repeats it is
// answered from its row for as long as there is a database. Its body, which is
// the stored reply and the reasons of its history, is archived 180 days after
// its end, in two steps:
//
//  1. a line for each operation in a new file of the folder of archives
//     (NDJSON, gzip; one file a run and month), synced, with its SHA-256
//     beside it in the form of sha256sum
//  2. the file's row in the database; and in the same transactions, 64
//     operations each, the short reply in place of the stored one, where that
//     is still the one that was archived
//
// A crash between the two leaves a file that no row names. The next run writes
// those operations into another one; nothing is lost, and nothing is in a row
// and in no file.
//
// Personal data of a reply is not archived. Slim has the list of the fields
// that are, by name: statuses, codes, references, amounts. Everything else,
// names, numbers, balances, statements and all words of the bank, ends with
// the body. The short reply is what a repeat is answered with from then on; it
// keeps the HTTP status, the statusCode and the fields of that list, so that
// the interface's envelope holds, and says that it was archived.
//
// # Leftovers
//
// Purge forgets what has no use any more, a bounded number of rows a run, each
// for as long as duty.Keepings says.
//
// # After a restoration
//
// A database that was put back from a copy does not know what was recorded
// after the copy, the gap, and the bank may have executed it. Two answers of a
// central are then no longer true of an identity that the database does not
// know: 'never seen', which tells a counter that no money moved, and a new
// operation, which would execute it again. Desk and Records stand before the
// engine and the records of the doors and do not give them:
//
//	a terminal asks for an identity     nothing is said, and the identity is
//	that was minted before the          noted for a person; the counter goes on
//	restoration, or up to a day after   asking, and shows that it does not know
//	by its own clock
//	a caller of the direct doors        429, this call did nothing; until a
//	brings an identity                  person has released the restoration
//	a caller asks for a record          429 in place of 'no such record', until
//	                                    then
//
// The same holds for a name whose newest attempt on record was refused for its OTP:
// the next one may have been made in the gap. It is neither begun nor told as the
// newest; by its own id, an attempt is what it is. And what passes may begin nothing
// at the engine (Submission.Refusal): the bank may free its name a moment later.
//
// Operations of terminals are taken at once: a counter never sends one twice.
// What a person finds out is written with galla-central restore forswear and
// adopt, and is then answered like everything else.
package keep
