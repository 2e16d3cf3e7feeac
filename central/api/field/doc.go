// Package field reads the fields of a request's body. Each method of Reader checks
// one field's type, length and format and records what is wrong with it, so that a
// caller gets all wrong fields in one reply.
//
// It promises that no message quotes a value; that duplicate keys, invalid UTF-8
// and anything but a JSON object are refused; and that a method returns the zero
// value of a field that is absent or wrong.
//
// Data enters as the bytes of a body (Decode) and leaves as typed values. With
// Describing set, the methods also record which fields they read: the OpenAPI
// document gets a route's fields from the code that checks them.
//
// Fingerprint decides which bodies are equal: a keyed hash of the canonical form,
// which does not reveal the body. A refund's OTP is not part of it.
package field
