// Package partner is the gateway for a partner's program: it seals a call,
// sends it, and opens the reply only if it is genuine.
//
// It is written for programs outside this house, and needs nothing but the
// standard library and the message itself (galla/shared/envelope). Time,
// randomness and the HTTP client are given.
//
// Data enters as a route and its JSON, exactly as the direct routes have them
// (POST /aeps/balance, not POST /process/aeps/balance). It leaves as a Reply:
// the HTTP status and the JSON that the direct route would have answered. Every
// status that the gateway sealed is a Reply, refusals too; an error means that
// no genuine reply came.
//
// # Once, and only once
//
// A call has an identity, its X-Request-Id, from the moment it is prepared.
// Whatever happens to the line, sending the same call again is safe: the
// gateway runs it once, and answers the repeat with the stored reply. So a
// program that moves money keeps the call before it sends it:
//
//	call, err := client.Prepare("POST", "/aeps/withdrawal", body)
//	…  write call.ID and call.Body where they survive a crash
//	reply, err := client.Send(ctx, call)
//	for partner.SafeToRetry(err) {
//		…  wait; after a crash, begin here with the call that was kept
//		reply, err = client.Retry(ctx, call)
//	}
//
// Each sending has a new time and a new IV; the identity and the body stay.
// Never make a new call for an operation whose outcome is unknown: that is how
// a customer is debited twice.
//
// For tests without a network, Double plays the gateway.
package partner
