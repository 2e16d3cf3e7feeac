// Package network is the sandbox network's protocol: messages, transaction kinds, statuses,
// paths and the checksum. The adapter (central/bank, whose doc.go describes the protocol)
// and the sandbox bank (central/bank/simbank) share only this package.
//
// Input is not trusted: reading is bounded (ReadBody), the checksum is compared in constant
// time before a byte is parsed, and the decoders accept exactly one JSON object with known
// members, each at most once. Output can be decoded by this package again. No error quotes
// input: the messages contain Aadhaar numbers and PidData.
package network
