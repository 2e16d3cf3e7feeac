// Package envelope is the gateway's message, version 1 (gateway.md): JSON sealed with
// AES-256-GCM, and a checksum that binds it to its method, path, sender, time and
// identity. Both ends use it: central/gateway, and a partner's program through
// shared/partner.
//
// A message consists of Headers and a body {"payload": "…"}. The receiver opens it in
// this order, each step only after the one before:
//
//	payload, err := envelope.Payload(body) // the body's form
//	err = headers.Request()                // the headers' form, or Reply
//	ok := key.SignsRequest(…, payload)     // the checksum, or SignsReply
//	plain, err := key.Decrypt(headers, payload)
//
// Between the last two, the receiver of a request checks the time (Headers.Time) and
// replays.
//
// It promises that each message has only one valid form: base64, hex, UUIDs and
// numbers are accepted only as they would be written again; that no input makes it
// panic; and that no error holds a value of a header, a key or the content. Time,
// identities and randomness are arguments.
package envelope
