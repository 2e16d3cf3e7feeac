// Package upi holds the counter's UPI QR codes: the printed one and those of one amount.
//
// A code is drawn from central's link, and not shown if the link differs from the request.
// Its page turns into PAID when the central has recorded a payment of the code's amount, and
// by nothing else. Forms and central's replies enter; requests (edge.Request), pages and two values in the
// queue's sealed cache leave, so that codes survive a restart.
package upi
