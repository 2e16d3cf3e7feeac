// Package tryit builds the page /docs/try of a sandbox: it sends any call of the
// interface, directly or through the gateway, and shows the request, the sealed message
// and the reply.
//
// The page promises to work offline: its scripts are files of this package, and it talks
// to its own central, and to the sandbox's reader and bank for a fingerprint and a
// one-time password. It seals and opens the gateway's messages in the browser, with
// WebCrypto. A reply that has a QR code gets a link to the bank's phone, which pays it. The
// secrets in it are the sandbox's public ones, so a production central serves Elsewhere in
// its place.
//
// Data enters as openapi.Samples and the sandbox's parties, and leaves as HTML, scripts
// and JSON, which httpapi serves with a policy that allows no other source.
package tryit
