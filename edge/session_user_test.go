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
		{SessionState{User: "Asha"}, false},
		{SessionState{Active: true}, true},
		{SessionState{Active: true, User: "Asha", UserID: "a1"}, true},
		{SessionState{Active: true, User: "Usha", UserID: "a1"}, true},  // renamed since
		{SessionState{Active: true, User: "Asha", UserID: "a0"}, false}, // the name was another's
		{SessionState{User: "Asha", UserID: "a1"}, false},
	} {
		if got := c.s.BelongsTo(User{ID: "a1", Name: "Asha"}); got != c.want {
			t.Errorf("%+v.Of(Asha) = %v", c.s, got)
		}
	}
}

// TestRecordBy: a record is its operator's over a rename, and nobody else's who
// took the name.
func TestRecordBy(t *testing.T) {
	asha := User{ID: "a1", Name: "Asha"}
	for _, c := range []struct {
		r    Record
		want bool
	}{
		{Record{}, false},
		{Record{User: "Asha"}, false},
		{Record{User: "Asha", UserID: "a1"}, true},
		{Record{User: "Usha", UserID: "a1"}, true},
		{Record{User: "Asha", UserID: "a0"}, false},
	} {
		if got := c.r.CreatedBy(asha); got != c.want {
			t.Errorf("Operator %q %q: By(Asha) = %v", c.r.User, c.r.UserID, got)
		}
	}
}
