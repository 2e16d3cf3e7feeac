// Package form reads the fields of a body. Each reader checks one field's
// type, length and format, and notes what is wrong with it, so that a caller is
// told of every wrong field at once.
//
// It promises that no message quotes a value, that duplicate keys, invalid
// UTF-8 and anything that is no JSON object are refused, and that a reader
// gives the zero value of a field that is absent or wrong.
//
// Data enters as the bytes of a body (Decode) and leaves as typed values. With
// Describing set, the readers also note what they read: that is how the OpenAPI
// document learns a route's fields, from the code that checks them.
//
// It also says what makes two bodies the same (Fingerprints): a keyed hash of the
// canonical form, from which nobody recovers what stood there. Of a transfer the
// OTP is no part of it.
package form
