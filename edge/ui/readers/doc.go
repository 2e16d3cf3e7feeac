// Package readers holds the page of the fingerprint readers: make, model, serial number,
// level and certificate of each, which of them is the counter's, and a test with the
// agent's own finger. An owner assigns the reader here, also after an exchange or repair.
//
// Refreshing the list disturbs no capture; a test sends and stores nothing of the finger.
// After the first refresh a page never waits for a reader. The reader in use is shown as
// in the status bar; when the device reports a change, Run refreshes the others, and the
// page says so meanwhile. A list on an open page is never older than a minute, and the
// page shows its time. Readers come through the interface Device.
package readers
