// Package onboarding holds the merchant's onboarding for AEPS as a wizard.
//
// The wizard shows only what is known: a step is done when central said so, a step whose
// answer was lost is shown as lost, and a step that central names as missing is opened. It
// survives restarts, every step may be repeated, and it needs an owner's PIN
// (ui.Kit.OwnerConfirmed).
//
// Forms and central's replies enter; requests (edge.Request), pages and the progress in the
// queue's sealed cache leave. The agent's Aadhaar number is known to the counter and is not
// typed here. OTP and PAN go to the counter and are not stored here.
package onboarding
