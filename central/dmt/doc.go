// Package dmt is what the interface says of domestic money transfer (sections
// 4.3 and 4.4): which fields a route has and what the bank network is asked
// with them, what the replies of transfers and refunds say, and when a transfer
// can be refunded.
//
// It promises that nothing of it depends on more than its arguments: no
// database, no clock, no network. Account numbers keep their leading zeros,
// and OTPs and Aadhaar numbers never leave their secret types.
//
// Data enters as a form.Reader, an operation or the bank's answer, and leaves
// as a central.BankRequest or as the parts of a reply; central/contract calls
// it and writes the envelope around them.
package dmt
