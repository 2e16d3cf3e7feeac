// Package limits judges operations by rules that are data: how much a
// transaction may move, in which steps, and how often and how much may be
// moved over an Indian day or month (domain.md, 'Rules of AEPS' and 'DMT').
//
// It promises that at every moment at most one rule bounds a kind in a scope,
// that an amount it lets pass lies within that rule, and that the quotas it
// gives name nobody in the clear: a customer is the keyed hash that the caller
// brings. A *Book never changes and may be used by many goroutines at once. It
// counts nothing itself: the store counts the quotas in the transaction that
// records the operation (central.Operations.Begin).
//
// Rules enter as JSON: production.json and sandbox.json are embedded, and an
// operator may bring a file of the same form (Load). They leave as
// central.Quota (Judge) and as central.Limit (InForce), which the edge is
// shown before it asks for a finger.
//
// # The form of a book
//
//	{
//	  "lookups": {"hour": 60, "merchants": {"c0000000-…": 300}, "note": "why"},
//	  "rules": [
//	    {
//	      "kinds": ["TRANSFER"],
//	      "scope": "remitter-month",
//	      "sum": "25000.00",
//	      "from": "2026-04-01",
//	      "until": "2027-04-01",
//	      "note": "circular such-and-such of such a date"
//	    }
//	  ]
//	}
//
// A rule bounds each of its kinds by itself. The scope transaction takes min,
// max and step; the other scopes take count and sum, which add up over the
// period. Amounts are texts of rupees with at most two decimals. from is the
// first Indian day on which the rule is in force and until the first on which
// it no longer is; an absent one leaves that side open. The note is required:
// it says where the rule comes from. Unknown and repeated keys are faults, and
// so are two rules for one kind and scope whose days meet; all faults of a book
// are told at once.
//
// lookups is how many of the bank's customers a merchant may look up in an hour
// that have not given it an OTP or a finger, each counted once; merchants have a
// limit of their own by their id. Without it the limit is DefaultLookups.
package limits
