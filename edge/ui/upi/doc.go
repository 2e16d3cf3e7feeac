// Package upi holds the counter's UPI QR codes: the printed one and those of one amount.
//
// A code is drawn from central's link, and not shown if the link differs from the request.
// Forms and central's replies enter; requests (edge.Request), pages and two values in the
// queue's sealed cache leave, so that codes survive a restart.
package upi
