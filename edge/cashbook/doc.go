// Package cashbook says how an operation changed the cash in the drawer.
//
// There is one rule: EntriesOf reads an operation's final facts (route, state, amount,
// charge, what happened to the cash) and nothing else. The operation's page, the day's
// closing, the CSV file, the chart and the receipt all use it, and a rule of
// shared/archtest refuses other readers of those facts. Nothing is stored here. Records
// enter as edge.Record; entries leave, each with flow, amount and the time at which the
// cash moved.
//
// The counter knows of an entry later than its cash moved if a state or an answer makes
// the entry (KnownAt). A day that was closed meanwhile lacks it, and the next one has it.
// For exact sums, an operation's entries must have the same total from their KnownAt on in
// whatever state: Held becomes Sent or Owed with the same amount, the cash of a refused
// transfer until its refusal is in InTransit, and Unconfirmed must be answered before the
// day is closed.
package cashbook
