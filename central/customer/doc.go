// Package customer says which party may do what with the bank's customers, and with
// business correspondents and their agents.
//
// # Promises
//
//   - A customer belongs to the bank and not to a merchant. Any merchant may look one
//     up and add a beneficiary, since a transfer needs the customer's OTP anyway; only
//     one that has passed an OTP or finger step with the customer deletes.
//   - How many strangers a merchant looks up in an hour is limited, on all nodes
//     together: distinct customers, each once. Who gave the merchant an OTP or a finger
//     is none. What is over the limit is refused before the bank is asked, logged, and
//     shown to people.
//   - The repeat of an operation is none of that: it has the stored reply, counts
//     nothing, and asks the bank nothing.
//   - A business correspondent or an agent is used by the party that registered it; a
//     vendor registers agents under its aggregator's correspondents, and the aggregator
//     sees its vendors' agents. Others have the answer of an id that is not there. Of
//     registrations that are older than this record a person says whose they are
//     (galla-central correspondent).
//   - A mobile number is kept as a keyed hash only.
//
// # The way of the data
//
//	call ──► contract ──► Guard.Admit ──► Store (lookups, proofs, owners)
//	the bank's reply ──► contract ──► Guard.Learn ──► Store (names, proofs)
//	Operations.Settle (transfers, registrations) ──► Store, in the same transaction
package customer
