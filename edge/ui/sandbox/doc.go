// Package sandbox marks a counter of a sandbox: a chip in the header of every page, and a
// page with links to the simulated reader and to the sandbox bank's inboxes. It shows only
// what the central said in GET /limits, and nothing where the central is no sandbox.
package sandbox
