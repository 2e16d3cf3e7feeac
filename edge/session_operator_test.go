package edge

import "testing"

// TestSessionOf: one operator's finger is not another's; a session that began
// elsewhere is known by the central's word only.
func TestSessionOf(t *testing.T) {
	for _, c := range []struct {
		s    SessionState
		want bool
	}{
		{SessionState{}, false},
		{SessionState{Operator: "Asha"}, false},
		{SessionState{Active: true}, true},
		{SessionState{Active: true, Operator: "Asha"}, true},
		{SessionState{Active: true, Operator: "Fatima"}, false},
		{SessionState{Active: true, Operator: "Asha", By: "a1"}, true},
		{SessionState{Active: true, Operator: "Usha", By: "a1"}, true},  // renamed since
		{SessionState{Active: true, Operator: "Asha", By: "a0"}, false}, // the name was another's
		{SessionState{Operator: "Asha", By: "a1"}, false},
	} {
		if got := c.s.Of(Operator{ID: "a1", Name: "Asha"}); got != c.want {
			t.Errorf("%+v.Of(Asha) = %v", c.s, got)
		}
	}
}

// TestRecordBy: a record is its operator's over a rename, and nobody else's who
// took the name.
func TestRecordBy(t *testing.T) {
	asha := Operator{ID: "a1", Name: "Asha"}
	for _, c := range []struct {
		r    Record
		want bool
	}{
		{Record{}, false},
		{Record{Operator: "Asha"}, true}, // recorded before ids were kept
		{Record{Operator: "Asha", OperatorID: "a1"}, true},
		{Record{Operator: "Usha", OperatorID: "a1"}, true},
		{Record{Operator: "Asha", OperatorID: "a0"}, false},
	} {
		if got := c.r.By(asha); got != c.want {
			t.Errorf("Operator %q %q: By(Asha) = %v", c.r.Operator, c.r.OperatorID, got)
		}
	}
}
