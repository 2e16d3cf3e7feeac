// Package accounts manages the parties of a central and says what they may do with the
// bank's customers.
//
// # Parties
//
// Service creates and changes aggregators, vendors and merchants, and issues the
// credentials of their programs. It also reads the list of terminals, the float of
// aggregators and the sums of a day. Package api checks at each request whether a party
// may act, so a change holds from the next request on, on all nodes. A suspension or a new
// client secret ends open enrolment codes in the same transaction; operations and
// terminals that exist go on. Parties are never deleted because operations and the ledger
// refer to them. A client secret is stored as a hash and shown once.
//
//	PENDING ──► APPROVED ◄──► SUSPENDED
//	   └──────► REJECTED
//
// # Customers
//
// CustomerPolicy limits how many of the bank's customers a merchant looks up in an hour,
// on all nodes together. Only a merchant that passed an OTP or fingerprint step with a
// customer deletes beneficiaries; only the party that registered a business correspondent
// or an agent, its aggregator or its vendors use it. A repeat of an operation is not
// checked. A mobile number is stored as a keyed hash only.
package accounts
