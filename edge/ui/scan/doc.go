// Package scan fills the Aadhaar field of any page from the printed QR of the customer's
// card: read by a scanner that types like a keyboard, or by the camera where the browser
// can find QR codes.
//
// A page needs nothing for it but a field of the name "aadhaar": the script watches the
// keys, takes what a scanner types out of whichever field had the focus, and sends it here
// by POST. Package aadhaarqr reads it and checks the signature. The reply says what fills
// the fields. The text of the code, the name and the number are in the request, the reply
// and the page only: nothing is stored or logged.
package scan
