// Package till is what a shop wants to know of its days: what was done, what
// of it is not settled, what cash the drawer should hold, and how the day was
// closed.
//
// It promises that a figure is only ever what the records say; that the day is
// India's by the central's clock, whatever the counter's says; that no day is
// closed over an unsettled operation that nobody named; and that a closing,
// once kept, is never altered. No Aadhaar number but a masked one leaves it.
//
// Records enter from the counter's queue (Ledger). Reckonings, closings, CSV
// and SVG leave; words for people are the pages', but for the head of a CSV
// file and the labels of a chart, which the caller gives.
//
// # What is cash, and when
//
// A withdrawal takes cash out on the day on which it was handed over; without
// that confirmation, on the day on which it was begun, and it is named. A
// transfer brings its amount and charge in on the day on which it was begun,
// unless it is known that nothing was sent: the customer's cash stays here
// until a refund, which takes it out on the day of the refund. A transfer that
// the bank refused at once has no transaction that could be refunded: its cash
// went straight back over the counter. A purchase moves no cash. Commission is
// the central's to tell, and is no part of a reckoning.
package till
