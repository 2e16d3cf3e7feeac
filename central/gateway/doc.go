// Package gateway is the vendors' entrance under /process/: it opens sealed
// messages, passes them to central.Handler, and seals the replies (gateway.md,
// version 1). It needs no HTTP library: httpapi gives it what was sent, unchanged.
//
// Serve makes the checks of gateway.md, section 5, in that order. A message that is
// not authentic always gets the same plain 401, byte for byte. Limits are checked
// before the replay check, which costs a write, so that a flood writes nothing.
//
// It promises that the path that was signed is the path that is routed; that every
// reply to an authenticated message is sealed under that message's key; and that no
// log line and no metric holds an API key, an encryption key, a payload or a
// checksum.
//
// A vendor's rate holds over all nodes that share the database
// (ratelimit.SharedLimiter, pacer). Vendors' keys are cached, and read again at most
// a second after they changed: a revoked key opens nothing after that, nor does any
// key while the database fails. Uses of a key are reserved in the database by the
// thousand: a crash loses unused ones, never the count.
package gateway
