package central

import (
	"fmt"
	"strings"

	"galla/shared/op"
)

// ReceiptMessageName is the CallerRef of a message with the receipt of an operation: the
// operation, the masked number, a keyed hash of both, and from the second attempt on its
// number. It is longer than any reference that callers may choose.
func ReceiptMessageName(of op.ID, masked, hash string, attempt int) string {
	name := string(of) + "/" + masked + "/" + hash
	if attempt > 1 {
		name += fmt.Sprintf("/%d", attempt)
	}
	return name
}

// ReceiptOf gives the operation whose receipt a message has, and the masked number that it
// went to; empty: the operation is no message.
func (o Operation) ReceiptOf() (of op.ID, mobile string) {
	parts := strings.Split(o.CallerRef, "/")
	if o.Kind != KindReceiptMessage || len(parts) < 3 {
		return "", ""
	}
	return op.ID(parts[0]), parts[1]
}
