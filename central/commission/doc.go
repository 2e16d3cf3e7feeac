// Package commission calculates what a succeeded operation earns: the vendor's
// commission by its slabs, the goods and services tax in what the customer paid,
// what the provider costs, and the income tax that is withheld (domain.md,
// section 8).
//
// It promises exact arithmetic in whole paise, rounded half up at each step, and
// postings that are always in balance: each moves one amount from one account to
// another. It writes nothing. The engine calls it before a success is finished
// (central.Tariff), and the store writes the earning in the same transaction. It is
// not called for operations that are pending, failed or reversed, so that nothing
// is earned before the money has moved.
//
// Slabs and parties come in through Slabs and Parties, rates as JSON: rates.json is
// embedded, and staff may bring a file of the same form (Load; the form: Read).
// Earnings go out as central.Earning.
package commission
