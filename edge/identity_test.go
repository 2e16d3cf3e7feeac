package edge_test

import (
	"crypto/rand"
	"testing"
	"testing/synctest"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/wire"
)

// TestAnIdentityThatIsBroughtBeginsOnce: who asks twice under one identity has
// asked once, over a restart too where the operation is recorded.
func TestAnIdentityThatIsBroughtBeginsOnce(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		id, err := op.NewID(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		q := edge.Request{Route: op.RemitterRegister, ID: id, Fields: []byte(`{"sender_mobilenumber":"9876543210"}`)}
		for range 2 {
			if v, err := s.c.Start(q); err != nil || v.ID != id {
				t.Fatalf("%s, %v", v.ID, err)
			}
			synctest.Wait()
		}
		if n := len(s.link.sentFrames(wire.TOp, id)); n != 1 {
			t.Errorf("%d frames", n)
		}
		s.restart()
		if v, err := s.c.Start(q); err != nil || v.ID != id {
			t.Errorf("after a restart: %s, %v", v.ID, err)
		}
		if _, err := s.c.Start(edge.Request{Route: op.RemitterRegister, ID: "7", Fields: q.Fields}); err == nil {
			t.Error("an identity that is none was taken")
		}
	})
}
