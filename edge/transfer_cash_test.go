package edge_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/wire"
)

// TestATransfersCash: the record keeps the charge that the customer paid and the
// number to find it by. Where the screen said to keep the cash, it is due when
// nothing moved in the end, and given back once.
func TestATransfersCash(t *testing.T) {
	fatima := edge.User{ID: edge.AgentID, Name: "Fatima"}
	const refused = `{"statusCode":"55","message":"INVALID OTP","data":{"transactionId":"T1","amount":500,"status":"FAILED"}}`
	for _, c := range []struct {
		name string
		live func(*testCounter, op.ID)
		due  bool
	}{
		{"refused at once", func(s *testCounter, id op.ID) { s.receive(succeeded(id, op.Failed, 200, refused)) }, false},
		{"pending, then failed", func(s *testCounter, id op.ID) {
			s.receive(succeeded(id, op.Pending, 200, `{"statusCode":"00","reference":"DMT-NR-1","data":{"status":"PENDING"}}`))
			s.receive(succeeded(id, op.Failed, 200, refused))
		}, true},
		{"the connection broke, and it was never seen", func(s *testCounter, id op.ID) {
			s.goOffline()
			s.goOnline()
			s.receive(wire.Frame{T: wire.TUnseen, ID: id})
		}, true},
		{"accepted, the connection broke, and it failed", func(s *testCounter, id op.ID) {
			s.receive(wire.Frame{T: wire.TAccepted, ID: id})
			s.goOffline()
			s.goOnline()
			s.receive(succeeded(id, op.Failed, 200, refused))
		}, true},
		{"the program was restarted", func(s *testCounter, id op.ID) {
			s.restart()
			s.goOnline()
			s.receive(succeeded(id, op.Failed, 200, refused))
		}, true},
		{"accepted, the program was restarted, and it failed", func(s *testCounter, id op.ID) {
			s.receive(wire.Frame{T: wire.TAccepted, ID: id})
			s.restart()
			s.goOnline()
			s.receive(succeeded(id, op.Failed, 200, refused))
		}, true},
		{"accepted, the program was restarted, and it was sent", func(s *testCounter, id op.ID) {
			s.receive(wire.Frame{T: wire.TAccepted, ID: id})
			s.restart()
			s.goOnline()
			s.receive(succeeded(id, op.Succeeded, 200, `{"statusCode":"00","data":{"transactionId":"T1","amount":500,"status":"SUCCESS"}}`))
		}, false},
		{"pending, then sent", func(s *testCounter, id op.ID) {
			s.receive(succeeded(id, op.Pending, 200, `{"statusCode":"00","reference":"DMT-NR-1","data":{"status":"PENDING"}}`))
			s.receive(succeeded(id, op.Succeeded, 200, `{"statusCode":"00","data":{"transactionId":"T1","amount":500,"status":"SUCCESS"}}`))
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			withTestCounter(t, func(s *testCounter) {
				s.goOnline()
				q := s.request(op.Transfer)
				q.Charge, q.Mobile = 25_00, "9876543210"
				v, err := s.c.Start(q)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				c.live(s, v.ID)
				v = s.view(v.ID)
				if v.Charge != 25_00 || v.Mobile != "9876543210" || v.OwesCashBack() != c.due {
					t.Errorf("it is %s with a charge of %s, of %q, and its cash returns: %v", v.State, v.Charge, v.Mobile, v.OwesCashBack())
				}
				if open := s.c.Status().OpenCash; (len(open) == 1 && open[0].ID == v.ID && open[0].Cash() == edge.CashDue) != c.due {
					t.Errorf("%d are reported as open cash", len(open))
				}
				if err := s.c.AnswerCash(v.ID, fatima, edge.CashNotGiven); (err == nil) != c.due || c.due && s.view(v.ID).Cash() != edge.CashNotGiven {
					t.Errorf("that its cash did not go back gave %v", err)
				}
				for range 2 {
					if err := s.c.ConfirmCash(v.ID, fatima); (err == nil) != c.due || err != nil && !errors.Is(err, edge.ErrIllegal) {
						t.Errorf("that its cash went back gave %v", err)
					}
				}
				if given := !s.view(v.ID).CashGivenAt.IsZero(); given != c.due {
					t.Errorf("its cash was given back: %v", given)
				}
				if open := s.c.Status().OpenCash; len(open) != 0 {
					t.Errorf("%d are reported as open cash still", len(open))
				}
			})
		})
	}
}
