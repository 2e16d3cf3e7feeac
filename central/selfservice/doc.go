// Package selfservice is what a vendor manages by itself, through the interface
// (interface.md, section 4.8) and on the portal's pages: its keys of the gateway, the
// secrets of its programs, and the callbacks and operations of its merchants.
//
// It promises that a vendor reaches its own records only: another's are
// central.ErrNotFound, as if they did not exist. Every change is in the audit log, with
// who made it, before and after it is made.
//
// Data enters and leaves as the types of the packages keys, accounts and webhook, which do
// the work. New keys and secrets leave once, when they are made.
package selfservice
