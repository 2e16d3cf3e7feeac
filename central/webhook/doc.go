// Package webhook delivers callbacks: messages to programs of merchants and vendors about
// the end of operations that were pending (operation.finished), and about payments by UPI
// (upi.received, upi.returned). A merchant's own endpoint gets them; where it has none, its
// vendor's. The messages are Standard Webhooks
// (webhook-id, webhook-timestamp and webhook-signature over a JSON body), with references,
// the amount and the outcome, and without any data of the customer.
//
// A callback is a row that is written in the transaction which finishes the operation. It
// is delivered at least once, and always with the same webhook-id; the order of a
// receiver's callbacks is not guaranteed. A status of 2xx confirms it. Otherwise it is
// retried for 24 hours (see retry.go), then given up, which operators see and may replay.
// After 410 Gone the endpoint is disabled.
//
// Outside a sandbox, callbacks are sent over https to public addresses only: each address
// is checked when it is dialled, redirects are not followed, no proxy is used, and only
// the status of a reply is stored. A receiver has at most maxPerReceiver attempts under
// way on a node, so a slow one delays no other.
//
// A receiver may have two secrets while it replaces one; each message is signed with all
// that are live, so that either verifies it.
//
// Data enters as rows by DeliveryStore and leaves as HTTP requests. Secrets are sealed
// under the central's master keys and are in memory only while a message is signed.
package webhook
