// Package customer is the screen that faces the customer: the amount, the
// consent, the code to pay by and the result, in the customer's language, in
// words, colour and shape, spoken and chimed where the browser can.
//
// It promises that it can do nothing, that it shows no Aadhaar digit, and no
// balance unless the agent presses for it; and that looking at it or touching
// it is no touch of the agent, so that the counter locks as it would without.
// A locked counter shows nothing of any customer; the screen stays, welcomes, and
// goes on when the counter is unlocked.
//
// It opens in the browser of the agent's session, or in another one by a code
// that works once. Operations enter by edge.Counter, those of the operator whose
// screen it is; they leave as a page.
package customer
