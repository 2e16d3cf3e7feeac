// Package shop is the shop's own pages: the merchant's onboarding for AEPS as a
// wizard, and the UPI QR codes of the counter, the printed one and the ones of
// one amount.
//
// It promises that the wizard shows what is known, never what is hoped: a step
// is done when the central said so, a step whose answer was lost is told as
// lost, and a step that the central names as missing is the one that is opened.
// It survives restarts, and every step may be repeated. It is an owner's, who typed
// the PIN again (web.Kit.Confirmed). A QR code is drawn from
// the central's link alone, and not shown at all where the link does not say
// what was asked for.
//
// Data enters through forms of package web and through replies of the central;
// it leaves as requests to the counter (edge.Request), as pages, and as three
// values of the queue's sealed cache. No Aadhaar number enters: the agent's own
// is known to the counter. OTP and PAN go to the counter and are not kept here.
package shop
