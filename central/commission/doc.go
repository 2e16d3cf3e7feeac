// Package commission works out what a succeeded operation earns: the vendor's
// commission by its slabs, the goods and services tax in what the customer
// paid, what the provider costs, and the income tax that is withheld
// (domain.md, 'Commission arithmetic').
//
// It promises exact arithmetic in whole paise, rounded half up at each step,
// and postings that can't be out of balance: each moves one amount from one
// account to another. It decides and writes nothing itself: the engine asks it
// before a success is settled (central.Tariff), and the store writes its word
// in the transaction of the settlement. An operation that is pending, failed
// or reversed is never asked about, so that nothing is earned before the money
// has moved.
//
// Slabs and parties are read through Slabs and Parties; rates enter as JSON:
// rates.json is embedded, and an operator may bring a file of the same form
// (Load). Earnings leave as central.Earning.
//
// # Which slab
//
// Bands of one combination may overlap, and a slab may have no band. Of several
// slabs that hold an amount the narrowest applies, of equally narrow ones the one
// with the higher lower bound, and the default where none holds it. Upper and
// lower case of a combination are told apart in nothing.
//
// # Accounts
//
// A posting takes its amount from the account that it debits and gives it to
// the one that it credits. An account's balance is its credits less its
// debits, so that a balance above zero is owed to whom the account is named
// after.
//
//	purpose     debit                        credit                       amount
//	COMMISSION  aggregator:<id>:commission   vendor:<id>                  the slab's commission
//	TDS         vendor:<id>                  tds                          withheld of the commission
//	CHARGE      merchant:<id>:charges        aggregator:<id>:charges      what the customer paid the merchant
//	GST         aggregator:<id>:charges      gst                          the tax within the charge
//	PROVIDER    aggregator:<id>:charges      provider:<code>              what the provider asks
//
// So vendor:<id> holds what the vendor is owed, merchant:<id>:charges is below
// zero by what the merchant took at the counter and owes the aggregator, and
// aggregator:<id>:charges holds what the charges leave. An amount of zero makes
// no posting.
//
// # The form of the rates
//
//	{
//	  "gst": [{"percent": "18", "note": "…"}],
//	  "tds": [{"percent": "5", "until": "2024-10-01", "note": "…"}, {"percent": "2", "from": "2024-10-01", "note": "…"}],
//	  "providerCosts": [{"paymentMethod": "DMT", "provider": "NSDL", "txnType": "TRANSFER", "cost": "4.00", "from": "2026-04-01", "note": "…"}]
//	}
//
// from is the first Indian day of a rate and until the first day that is no
// longer its; an absent one leaves that side open. GST and TDS have exactly one
// rate on every day; a combination without a provider's cost costs nothing.
package commission
