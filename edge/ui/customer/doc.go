// Package customer holds the screen for the customer: amount, consent, payment code and
// result, in the customer's language, in words, colour and shape, with speech and sound
// where the browser has them.
//
// The screen can do nothing and shows no Aadhaar digit, and a balance only when the agent
// chooses to. Viewing or using it does not keep the counter unlocked. A locked counter
// shows nothing of any customer: the screen stays, shows the welcome, and continues after
// the unlock.
//
// It opens in the browser of the agent's session, or in another one by a code that works
// once. It shows operations of the user whose screen it is.
package customer
