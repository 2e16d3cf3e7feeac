// Package network holds the words of the sandbox network's protocol: messages,
// transaction kinds, statuses, paths and the checksum. The adapter
// (central/bank, whose package comment is the protocol's document) and the
// sandbox bank (central/bank/simbank) share it and nothing else.
//
// Data enters as bytes from the other side, of which nothing is believed:
// reading is bounded (ReadBody), the checksum is compared in constant time
// before a byte is parsed, and the decoders accept exactly one JSON object with
// known members, each at most once. Data leaves as JSON that the decoders of
// this package read back as it was. No error of this package quotes what was
// received: the messages carry Aadhaar numbers and PidData.
package network
