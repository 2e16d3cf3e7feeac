// Package door is the direct way in: HTTP for merchants' and vendors'
// programs, with Bearer tokens and plain JSON (sections 1 and 5.1 of the
// interface), and the token route itself.
//
// It knows HTTP and nothing of the routes: which exist, it reads from the
// route table, and what they do is behind central.Dispatcher. It promises that
// every request has one reply, with X-Request-Id and in the form of the error
// table, whatever was sent; that no request holds more memory, time or
// connections than the limits in this package name; and that shutting down
// lets calls under way finish.
//
// Requests enter through the listener given to Run. What is authenticated
// leaves as central.Call; the dispatcher's reply is written back byte for byte.
// Beside the routes it serves the fixed pages of its Config to everybody, each
// under a Content-Security-Policy that allows the page's own style and nothing
// else.
//
// What comes under /process, by any reading of its path, goes to Config.Gateway
// as it was sent, before it is routed here; so does what HTTP itself objects to
// there, so that the gateway's refusals look alike whatever was wrong. The door
// only counts, by network, what turned out not to be authentic.
//
// Wrong enrolment codes are counted by network, at all nodes together: ten a
// minute.
//
// # Tokens
//
// POST /oauth/token is OAuth 2.0 client credentials (RFC 6749 §4.4): a client
// proves its secret, of which only an argon2id hash is stored, and gets a JWT
// signed with Ed25519. The first of the configured keys signs, all of them
// verify, and /.well-known/jwks.json publishes them, so that keys rotate
// without an outage. A token names the client and its generation, which grows with
// each suspension and each new secret: every call looks whether they still are what
// the client has, by what was read of it a second ago at most: when its headers have
// come, and when its body has, right before it is dispatched.
//
// Wrong secrets are counted by client id and network, so that strangers keep no
// program out of its own network; by client id over all networks, so that many networks
// are no way around; and by network over all ids, so that inventing ids is none either.
// Where one of the last two is used up, a right secret is still taken in the networks in
// which its client was given tokens in the last ninety days. A program that comes from a
// new network during such an attack waits. Ids that there are and invented ones are
// counted alike, in the same counts, whose names are keyed hashes, and a wrong secret is
// told the same of both at the same moment, also where a client has its own network: no
// reply tells which ids there are.
package door
