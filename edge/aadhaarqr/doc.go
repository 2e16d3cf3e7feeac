// Package aadhaarqr reads the QR code that UIDAI prints on Aadhaar letters and cards.
//
// There are two forms. The secure QR is a decimal number of some thousand digits: as bytes
// it is gzip, with fields between bytes 0xFF, a photo, and UIDAI's signature (RSA-2048,
// SHA-256) in the last 256 bytes. It holds the last four digits of the Aadhaar number. The
// older form is XML, <PrintLetterBarcodeData uid="…" name="…"/>: it may hold all twelve
// digits, and has no signature.
//
// The layout is that of UIDAI's 'Secure QR Code' manual of March 2019, and of the versions
// V2 and V3, which begin with their name. Any other version is refused, because its fields
// may stand elsewhere.
//
// The text comes from a scanner or a camera, so all of it is foreign. Its length and the
// length of what it decompresses to are bounded. Nothing is stored, and no error quotes
// the text. Address, date of birth, gender, photo and the hashes of mobile number and
// email address are skipped.
package aadhaarqr
