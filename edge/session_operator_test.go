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
	} {
		if got := c.s.Of("Asha"); got != c.want {
			t.Errorf("%+v.Of(Asha) = %v", c.s, got)
		}
	}
}
