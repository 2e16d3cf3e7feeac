// Package gateway is the vendors' way in behind /process/: it opens their
// sealed messages, hands them to the same central.Dispatcher as every other
// door, and seals the replies (gateway.md, version 1). It knows no HTTP
// library: a door feeds it what came over the wire, as it came.
//
// # Checks
//
// Serve checks in the document's order, and each failure ends the message:
//
//	1 form        headers once each, canonical encodings, sizes
//	2 client      the API key exists and is live; a dummy key takes its place
//	3 checksum    in constant time, before anything is decrypted
//	4 time        ±300 s of this clock
//	  limits      the vendor's own: 429, sealed
//	5 replay      the pair (key, IV) is new, in the database all nodes share
//	2 again       the API key is live after the message has waited, too
//	8 role        403, sealed, for every route of the table that is not mirrored
//	              or not a vendor's, whatever the payload holds
//	6 decryption
//	  route       404 and 405, sealed, on the path exactly as it was signed
//	  plaintext   400 and 413, sealed, in the direct route's own words
//	7 merchantId  the dispatcher's, as for every door
//
// What fails in 1 to 6 has one answer in plain, the same to the byte. A message
// of more than envelope.MaxBody is too long to be believed, and is not read
// to its end; what Content-Type says counts for nothing, as at the door. Limits
// come before the replay, which costs a write: nobody's flood reaches the disk.
//
// # Promises
//
// What is authenticated is what is routed: the path is compared with the
// mirror's as it was signed, so no spelling of it means another route. Every
// reply to an authenticated message is sealed under the key it came with.
// An API key, a key, a payload and a checksum are in no log line and no metric.
//
// A vendor's rate holds over all nodes that share the database: each takes its
// messages out of one row a few at a time, and begins them one after the other
// (duty.Meter, lane).
//
// A vendor's keys are held open in memory and read anew when the list in the
// database has a new edition, which is looked at every second: a revoked key opens
// nothing after that, what waited for its turn included, and without a database
// nothing at all. Uses of a key are set aside in the database thousands at a time:
// a crash loses those that were not used up, never the count.
package gateway
