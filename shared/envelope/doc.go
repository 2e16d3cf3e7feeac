// Package envelope is the gateway's message, version 1: JSON sealed with
// AES-256-GCM, under a checksum that binds it to its method, path, sender,
// time and identity.
//
// Both ends use it: the central's gateway to open requests and seal replies, a
// partner's program (shared/partner) for the opposite. Everything here is a
// function of its arguments: time, identities and randomness are given.
//
// A message leaves as Headers and a body {"payload": "…"}. It enters the same
// way, and is to be opened in this order, each step only after the one before:
//
//	payload, err := envelope.Payload(body) // the body's form
//	err = headers.Request()                // the headers' form, or Reply
//	ok := key.SignsRequest(…, payload)     // the checksum, or SignsReply
//	plain, err := key.Decrypt(headers, payload)
//
// Whoever receives requests looks at the clock (Headers.Time) and at replays
// between the last two.
//
// It promises that there is one way to write each message: base64, hex, UUIDs
// and numbers are accepted only as they would be written again; that nothing
// sent from outside makes it panic; and that no error holds a value, neither of
// a header, nor of a key, nor of what was sealed.
package envelope
