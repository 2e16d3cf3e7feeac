// Package guide is the page 'Integrate in an afternoon' for the gateway's
// partners: one message step by step, the four languages, the mistakes that
// people make, and what each refusal looks like.
//
// It promises that every byte on the page is true by construction: the message,
// its checksum, the reply and even the wrong values of the common mistakes are
// computed when the page is made, by the code that both ends of the gateway run
// (galla/shared/envelope), from a fixed key, IV and time. The keys are those of
// the sandbox, which work nowhere else.
//
// Nothing enters. The page leaves as HTML without script, image or address
// elsewhere, with one style element whose text is Style, for the door's
// Content-Security-Policy.
package guide
