// Package partner is a client of the gateway for a partner's program: it seals a call,
// sends it, and opens the reply only if it is genuine. It needs only the standard
// library and shared/envelope. Time, randomness and the HTTP client are given.
//
// Data enters as a route and its JSON, as in the direct routes (POST /aeps/balance, not
// POST /process/aeps/balance). It leaves as a Reply with the direct route's HTTP status
// and JSON. Every sealed answer is a Reply, refusals too; an error means that no
// genuine reply came.
//
// A call has an identity, its X-Request-Id, as soon as it is prepared. It is always
// safe to send the same call again: the gateway runs it once, and answers a repeat with
// the stored reply. A program that moves money therefore stores the call first:
//
//	call, err := client.Prepare("POST", "/aeps/withdrawal", body)
//	…  store call.ID and call.Body where they survive a crash
//	reply, err := client.Send(ctx, call)
//	for partner.SafeToRetry(err) {
//		…  wait; after a crash, start here with the stored call
//		reply, err = client.Send(ctx, call)
//	}
//
// Never make a new call for an operation whose outcome is unknown: the customer could
// be debited twice. For tests without a network there is package partnertest.
package partner
