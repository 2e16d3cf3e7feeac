// Package galla calls Galla's interface for partners: AEPS, money transfer, UPI QR and the
// administration of vendors. DirectClient calls the central with an access token,
// GatewayClient sends sealed messages. Both have a method for every route that is open to
// them.
//
// A call has one idempotency key. What may have run is repeated with that key and the same
// body only, so no money moves twice. A pending operation is a Result, and Wait asks until
// it has ended. README.md has the beginning.
package galla
