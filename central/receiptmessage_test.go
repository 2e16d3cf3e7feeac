package central

import "testing"

func TestReceiptMessageNames(t *testing.T) {
	for attempt, want := range map[int]string{1: "0199/XXXXXX4321/ab", 2: "0199/XXXXXX4321/ab/2", 5: "0199/XXXXXX4321/ab/5"} {
		name := ReceiptMessageName("0199", "XXXXXX4321", "ab", attempt)
		of, mobile := Operation{Kind: KindReceiptMessage, CallerRef: name}.ReceiptOf()
		if name != want || of != "0199" || mobile != "XXXXXX4321" {
			t.Errorf("attempt %d: %q, of %q to %q", attempt, name, of, mobile)
		}
		if of, mobile := (Operation{Kind: KindTransfer, CallerRef: name}).ReceiptOf(); of != "" || mobile != "" {
			t.Errorf("a transfer is a message of %q to %q", of, mobile)
		}
	}
	if of, _ := (Operation{Kind: KindReceiptMessage, CallerRef: "x"}).ReceiptOf(); of != "" {
		t.Errorf("a name without parts is of %q", of)
	}
}
