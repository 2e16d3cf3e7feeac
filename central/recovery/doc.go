// Package recovery limits what a central says after its database was restored from a
// backup (operations.md, section 14).
//
// A restored database lacks what was recorded after the backup began, the gap, and the
// bank may have executed it. For an identity that the database does not know, two answers
// may then be wrong: 'never seen', after which a counter shows that no money moved, and a
// new operation, which could execute it again. The handler asks Gap first:
//
//	a terminal asks about an identity   no answer, and the identity is held for a
//	created before the restore, or up   person; the counter asks again, and shows
//	to a day later by its own clock     that the outcome is not known
//	a direct route or the gateway       429: this request did nothing, until a
//	brings an identity                  person has released the restoration
//	a caller reads a record             429 instead of 'no such record', until then
//
// The same holds for a name whose newest recorded attempt was refused for its OTP: the next
// attempt may be in the gap. Operations of terminals are accepted at once, because a
// counter never sends one twice. A person records the findings with galla-central restore
// tombstone and adopt.
package recovery
