package edge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/edge/api"
	"galla/shared/op"
	"galla/shared/secret"
	"galla/shared/wire"
)

// everyRoute runs a test for each route that the uplink serves, and of which
// the test says something.
func everyRoute(t *testing.T, says func(op.Route) bool, test func(s *testCounter, r op.Route)) {
	t.Helper()
	n := 0
	for _, r := range op.Table() {
		if r.Entrances&op.Uplink == 0 {
			continue
		}
		n++
		if !says(r) {
			continue
		}
		t.Run(string(r.ID), func(t *testing.T) {
			withTestCounter(t, func(s *testCounter) { test(s, r) })
		})
	}
	if n < 40 {
		t.Errorf("the table has %d routes for the uplink; its families are missing", n)
	}
}

func all(op.Route) bool { return true }

func durable(r op.Route) bool { return r.Class == op.Money || r.Class == op.Record }

// waits tells whether an operation is taken while the counter is offline.
func waits(r op.Route) bool { return durable(r) && !api.SpecOf(r.ID).Present }

func TestEveryRouteIsSent(t *testing.T) {
	everyRoute(t, all, func(s *testCounter, r op.Route) {
		s.goOnline()
		id := s.must(r.ID)
		s.wantState(id, op.Sent)
		f := s.link.sentFrames(wire.TOp, id)[0]
		if f.Route != r.ID || f.NotAfter == 0 || (f.CapturedAt != 0) != withFinger[r.ID] {
			s.t.Errorf("frame of %s: not after %d, captured at %d", f.Route, f.NotAfter, f.CapturedAt)
		}
		body := s.body(id)
		pid := canaryPID
		if r.ID == op.AgentUpdateBio || r.ID == op.CustomerUpdateBio {
			pid = canaryKYC // and no other route's
		}
		for _, secret := range []struct {
			has    bool
			fields []string
			value  string
		}{
			{withFinger[r.ID], []string{"PidData"}, pid},
			{withOTP[r.ID], []string{"otp"}, canaryOTP},
			{withAadhaar[r.ID], []string{"AadharNo", "aadhaarno"}, canaryAadhaar},
		} {
			got := ""
			for _, name := range secret.fields {
				got += strings.Trim(string(body[name]), `"`)
			}
			if want := map[bool]string{true: secret.value}[secret.has]; strings.ReplaceAll(got, `\u003c`, "<") != want && got != want {
				s.t.Errorf("%v of the frame is %q, want %q", secret.fields, got, want)
			}
		}
		if durable(r) {
			if stored := s.stored(id); stored.State != op.Sent || (stored.Title != "for Asha") == !aeps[r.ID] {
				s.t.Errorf("on disk it is %s, %q", stored.State, stored.Title)
			}
		}
		if v := s.view(id); v.Volatile == durable(r) {
			s.t.Errorf("volatile is %v", v.Volatile)
		}
		s.receive(wire.Frame{T: wire.TAccepted, ID: id})
		s.receive(succeeded(id, op.Succeeded, 200, `{"statusCode":"00","message":"m","data":{}}`))
		if r.Class != op.Reference {
			s.wantState(id, op.Succeeded)
		}
		if (s.view(id).Verdict() == edge.VerdictGive) != (r.ID == op.Withdrawal) {
			s.t.Errorf("verdict is %s", s.view(id).Verdict())
		}
		s.wantSent(id, 1)
	})
}

func TestEveryRouteOffline(t *testing.T) {
	everyRoute(t, all, func(s *testCounter, r op.Route) {
		s.goOnline()
		s.goOffline()
		v, err := s.mustCreate(r.ID)
		switch {
		case r.Class == op.Reference:
			if err != nil || v.State != op.Succeeded || v.KnownAt.IsZero() || len(v.Reply) == 0 || v.Result.StatusCode != "00" {
				s.t.Errorf("Start = %s known at %v, %v; want the last known reply", v.State, v.KnownAt, err)
			}
			if again := s.view(v.ID); !again.KnownAt.Equal(v.KnownAt) {
				s.t.Error("its age is not shown later")
			}
		case !waits(r):
			var p *edge.PreconditionError
			if !errors.As(err, &p) || p.Code != edge.PreconditionLink {
				s.t.Errorf("Start = %v, want a refusal because it is offline", err)
			}
		default:
			if err != nil {
				s.t.Fatal(err)
			}
			s.wantState(v.ID, op.Queued)
			wait := map[op.Class]time.Duration{op.Money: 60 * time.Second, op.Record: 3 * time.Minute}[r.Class]
			time.Sleep(wait)
			s.wantState(v.ID, op.Queued)
			s.wantSent(v.ID, 0)
			s.goOnline()
			s.wantState(v.ID, op.Sent)
			s.wantSent(v.ID, 1)
		}
	})
}

func TestEveryRouteWhoseDeadlinePasses(t *testing.T) {
	everyRoute(t, waits, func(s *testCounter, r op.Route) {
		s.goOnline()
		s.goOffline()
		id := s.must(r.ID)
		life := 90 * time.Second
		if r.Class == op.Record {
			life = shortLife
		}
		time.Sleep(life - time.Second)
		s.wantState(id, op.Queued)
		time.Sleep(3 * time.Second)
		s.wantState(id, op.Expired)
		if v := s.view(id); v.Verdict() != edge.VerdictNoMoney || v.Reason != edge.ReasonTooLate || s.stored(id).Body != nil {
			s.t.Errorf("verdict %s, reason %q", v.Verdict(), v.Reason)
		}
		s.goOnline()
		time.Sleep(time.Minute)
		s.wantSent(id, 0)
	})
}

func TestEveryRouteLostAfterItWasSent(t *testing.T) {
	everyRoute(t, all, func(s *testCounter, r op.Route) {
		s.goOnline()
		id := s.must(r.ID)
		s.wantState(id, op.Sent)
		s.goOffline()
		if !durable(r) {
			s.wantState(id, op.NotSent)
			s.goOnline()
			s.wantSent(id, 1)
			return
		}
		s.wantState(id, op.Unknown)
		s.goOnline()
		if n := len(s.link.sentFrames(wire.TAsk, id)); n != 1 {
			s.t.Errorf("it was asked for %d times, want 1", n)
		}
		s.receive(wire.Frame{T: wire.TUnseen, ID: id})
		s.wantState(id, op.NotSent)
		s.wantSent(id, 1)
	})
}

func TestEveryRouteOverARestart(t *testing.T) {
	everyRoute(t, waits, func(s *testCounter, r op.Route) {
		s.goOnline()
		sent := s.must(r.ID)
		s.wantState(sent, op.Sent)
		s.goOffline()
		queued := s.must(r.ID)
		s.stored(queued)
		s.restart()
		s.wantState(sent, op.Unknown)
		if r.Class == op.Money {
			s.wantState(queued, op.Expired)
			if v := s.view(queued); v.Reason != edge.ReasonRestartedBeforeSend {
				s.t.Errorf("reason %q", v.Reason)
			}
			s.goOnline()
			time.Sleep(time.Minute)
			s.wantSent(queued, 0)
			return
		}
		s.wantState(queued, op.Queued)
		s.goOnline()
		s.wantSent(queued, 0) // the one before has no outcome
		s.receive(succeeded(sent, op.Succeeded, 200, `{"statusCode":"00"}`))
		s.wantState(queued, op.Sent)
		if withAadhaar[r.ID] && string(s.body(queued)["aadhaarno"]) != `"`+canaryAadhaar+`"` {
			s.t.Error("the sealed Aadhaar number was lost")
		}
	})
}

func TestRecordsGoInTheOrderOfTheirPresses(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		s.goOffline()
		var ids []op.ID
		for _, route := range []op.RouteID{op.CustomerOnboarding, op.RemitterRegister, op.BeneficiaryAdd, op.BeneficiaryDelete} {
			ids = append(ids, s.must(route))
		}
		money := s.must(op.Withdrawal)
		sentNow := func() (n int) {
			for _, id := range ids {
				n += s.sent(id)
			}
			return n
		}
		s.goOnline()
		s.wantState(money, op.Sent) // money does not wait for records
		if n := sentNow(); n != 1 || s.sent(ids[0]) != 1 {
			t.Fatalf("%d records were sent, want the first", n)
		}
		s.receive(wire.Frame{T: wire.TAccepted, ID: ids[0]})
		time.Sleep(10 * time.Second)
		if n := sentNow(); n != 1 {
			t.Fatalf("%d records were sent before the first had its outcome", n)
		}
		s.receive(succeeded(ids[0], op.Failed, 200, `{"statusCode":"57","message":"no"}`))
		s.wantState(ids[1], op.Sent) // what failed has its outcome too

		s.goOffline() // the second is unknown, and holds up the third
		s.goOnline()
		time.Sleep(10 * time.Second)
		s.wantSent(ids[2], 0)
		s.receive(succeeded(ids[1], op.Pending, 200, `{"statusCode":"00","reference":"DMT-NR-1"}`))
		time.Sleep(10 * time.Second)
		s.wantSent(ids[2], 0) // the bank may still begin it
		event := succeeded(ids[1], op.Succeeded, 200, `{"statusCode":"00"}`)
		event.T, event.Kind, event.Cursor = wire.TEvent, wire.EventOutcome, 1
		s.receive(event)
		s.wantState(ids[2], op.Sent)
		s.receive(succeeded(ids[2], op.Pending, 200, `{"statusCode":"00","reference":"DMT-NR-2"}`))
		time.Sleep(3 * time.Minute) // nor for ever
		s.wantState(ids[3], op.Sent)
	})
}

func TestATransferHasItsOwnReference(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		id := s.must(op.Transfer)
		if ref := string(s.body(id)["refId"]); ref != `"`+string(id)+`"` {
			t.Errorf("refId is %s, want the operation's id", ref)
		}
		if amount := string(s.body(id)["amount"]); amount != "500.00" || s.view(id).Amount != 50000 {
			t.Errorf("amount is %s in the frame and %s here", amount, s.view(id).Amount)
		}
		s.receive(succeeded(id, op.Pending, 200, `{"statusCode":"00","message":"Transaction pending","reference":"DMT-NR-7","data":{"transactionId":"T7","amount":500,"status":"PENDING"}}`))
		v := s.view(id)
		if v.Verdict() != edge.VerdictPending || v.Result.Reference != "T7" || v.Result.Status != "PENDING" || v.ReplyValue("transactionId") != "T7" {
			t.Errorf("pending: verdict %s, %+v", v.Verdict(), v.Result)
		}
		event := succeeded(id, op.Succeeded, 200, `{"statusCode":"00","message":"Transaction successful","data":{"rrn":"RR1","transactionId":"T7","amount":500,"status":"SUCCESS"}}`)
		event.T, event.Kind, event.Cursor = wire.TEvent, wire.EventOutcome, 1
		s.receive(event)
		v = s.view(id)
		if v.Verdict() != edge.VerdictPaid || v.Result.RRN != "RR1" || v.ReplyValue("amount") != "500" {
			t.Errorf("succeeded: verdict %s, %+v", v.Verdict(), v.Result)
		}
		if err := s.c.ConfirmCash(id, edge.User{ID: edge.AgentID, Name: "Fatima"}); !errors.Is(err, edge.ErrIllegal) {
			t.Errorf("cash could be confirmed for a transfer: %v", err)
		}

		refund := s.must(op.Refund)
		s.receive(succeeded(refund, op.Succeeded, 200, `{"statusCode":"00","message":"Refund processed successfully","data":{"refundId":"R1","amount":500}}`))
		v = s.view(refund)
		if v.Verdict() != edge.VerdictRefund || v.Amount != 50000 || v.Result.Reference != "R1" {
			t.Errorf("refund: verdict %s, amount %s, %+v", v.Verdict(), v.Amount, v.Result)
		}

		wrong := s.must(op.Transfer)
		s.receive(succeeded(wrong, op.Failed, 200, `{"statusCode":"55","message":"INVALID OTP"}`))
		if v = s.view(wrong); v.Verdict() != edge.VerdictNoCash || v.Result.Code != "55" {
			t.Errorf("declined: verdict %s, %+v", v.Verdict(), v.Result)
		}
		unreached := s.must(op.Transfer)
		s.receive(succeeded(unreached, op.Failed, 502, `{"statusCode":"10","message":"Bank network unreachable; nothing was sent"}`))
		if v = s.view(unreached); v.Verdict() != edge.VerdictNoMoney {
			t.Errorf("unreached: verdict %s", v.Verdict())
		}
	})
}

func TestNoReplyKeepsASecret(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		for _, route := range []op.RouteID{op.Transfer, op.CustomerVerifyUID, op.AgentUpdateBio, op.Refund, op.Withdrawal, op.AgentValidateOTP} {
			id := s.must(route)
			otp := map[bool]string{true: canaryOTP, false: "none"}[withOTP[route]]
			reply := fmt.Sprintf(`{"statusCode":"00","message":"OTP %s for %s","data":{"otpreqid":"%s","otp":"%s","PidData":%q,"aadhaarno":"%s","note":"%s","n":%s}}`,
				otp, canaryAadhaar, "q-77", "1234", canaryPID, canaryAadhaar, canaryPID, canaryAadhaar)
			s.receive(succeeded(id, op.Pending, 200, reply))
			v := s.view(id)
			for _, secret := range []string{"CANARY", canaryAadhaar, canaryOTP, `"1234"`} {
				strange := secret == canaryAadhaar && !withAadhaar[route]
				if !strange && (strings.Contains(string(v.Reply), secret) || strings.Contains(v.Result.Message, secret)) {
					t.Errorf("the reply of %s keeps %q: %s", route, secret, v.Reply)
				}
			}
			if v.ReplyValue("otpreqid") != "q-77" {
				t.Errorf("otpreqid is %q", v.ReplyValue("otpreqid"))
			}
			if !v.Volatile {
				s.stored(id)
			}
		}
	})
}

func TestAChangeOfARecordWaitsADay(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.stop()
		s.recordLife = 0
		s.open()
		if v := s.view(s.must(op.AgentInitialize)); v.Deadline.Sub(v.CreatedAt) != 24*time.Hour {
			t.Errorf("it may wait %s, want 24 h", v.Deadline.Sub(v.CreatedAt))
		}
	})
}

func TestTheOTPIsUsedOnce(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		s.goOffline()
		id := s.must(op.Transfer)
		if err := s.c.Cancel(id); err != nil {
			t.Fatal(err)
		}
		s.wantState(id, op.Expired)
		s.goOnline()
		time.Sleep(time.Minute)
		s.wantSent(id, 0)

		lost := s.must(op.Transfer)
		s.goOffline()
		s.goOnline()
		time.Sleep(3 * time.Minute)
		s.wantState(lost, op.Unknown)
		s.wantSent(lost, 1)
	})
}

// TestAFingerThatIsNeverTaken: the operation ends after ten minutes, also where the
// clock is set back meanwhile, and the key of what it holds of the customer goes.
func TestAFingerThatIsNeverTaken(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		for name, route := range map[string]op.RouteID{"a withdrawal": op.Withdrawal, "an enquiry": op.Balance} {
			d := edge.Request{Route: route, Aadhaar: aadhaar(t), Customer: "Asha", IIN: "990326", Consent: "en-1", User: "Fatima", UserID: edge.AgentID}
			if route == op.Withdrawal {
				d.Amount = 50000
			}
			v, err := s.c.Start(d)
			if err != nil {
				t.Fatal(err)
			}
			before, want := s.bodyKeys(), 0
			if route == op.Withdrawal {
				want = 1
			}
			time.Sleep(10*time.Minute - 2*time.Second)
			synctest.Wait()
			if v, err := s.c.Operation(v.ID); err != nil || v.State != op.Reserved {
				t.Errorf("%s before ten minutes: %s, %v", name, v.State, err)
			}
			time.Sleep(4 * time.Second)
			synctest.Wait()
			v, err = s.c.Operation(v.ID)
			if err != nil || v.State != op.Expired || v.Body != nil || v.Reason != edge.ReasonNoFinger {
				t.Errorf("%s after ten minutes: %s, %q, a body of %d bytes, %v", name, v.State, v.Reason, len(v.Body), err)
			}
			overwritten := 0
			for slot, now := range s.bodyKeys() {
				if !bytes.Equal(now, before[slot]) {
					overwritten++
				}
			}
			if overwritten != want {
				t.Errorf("%s: %d body keys were overwritten, want %d", name, overwritten, want)
			}
		}
	})
}

// TestAClockSetBackKeepsNoReservation: the age of a record is not the only measure.
func TestAClockSetBackKeepsNoReservation(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		id := op.ID("019bd3a0-0000-7000-8000-0000000000ff")
		route, _ := op.Find(op.Withdrawal)
		if err := s.queue.Add(edge.Record{ID: id, Route: op.Withdrawal, Class: route.Class, State: op.Reserved, Version: 1, Body: []byte("{}"), CreatedAt: time.Now().Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		if v, err := s.c.Operation(id); err != nil || v.State != op.Expired {
			t.Errorf("it is %s, %v", v.State, err)
		}
	})
}

// bodyKeys gives the slots of the keys' file.
func (s *testCounter) bodyKeys() [][]byte {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, "queue.db.keys"))
	if err != nil {
		s.t.Fatal(err)
	}
	return slices.Collect(slices.Chunk(b, 64))
}

func TestAwait(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		id := s.must(op.TransferCharges)
		go func() {
			time.Sleep(5 * time.Second)
			_ = s.c.Receive(succeeded(id, op.Succeeded, 200, `{"statusCode":"00","data":{"charge":10,"totalAmount":510.50}}`))
		}()
		v, err := s.c.Await(context.Background(), id)
		if err != nil || v.State != op.Succeeded || v.ReplyValue("totalAmount") != "510.50" {
			t.Errorf("Await = %+v, %v", v, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, err := s.c.Await(ctx, s.must(op.Transfer)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Await without an outcome = %v", err)
		}
	})
}

func TestTheQRNamesItsMerchant(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		if got := string(s.body(s.must(op.GenerateQR))["merchantId"]); got != `"m1"` {
			t.Errorf("merchantId is %s", got)
		}
	})
}

func TestTheAgentsOwnNumberIsUsed(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		v, err := s.c.Start(edge.Request{Route: op.AgentUpdateUID})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := string(s.body(v.ID)["aadhaarno"]); got != `"`+canaryAadhaar+`"` || v.Aadhaar != secret.MaskAadhaar(canaryAadhaar) {
			t.Errorf("aadhaarno is %d characters, shown as %s", len(got), v.Aadhaar)
		}
	})
}

// TestADiskThatIsGone: an OTP is not used for what was not recorded.
func TestADiskThatIsGone(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		s.queue.Kill()
		for _, route := range []op.RouteID{op.Transfer, op.BeneficiaryAdd} {
			var p *edge.PreconditionError
			if _, err := s.mustCreate(route); !errors.As(err, &p) || p.Code != "disk" {
				t.Errorf("%s = %v, want a refusal for the disk", route, err)
			}
		}
		time.Sleep(10 * time.Second)
		for _, f := range s.link.frames {
			if r, _ := op.Find(f.Route); durable(r) {
				t.Errorf("%s was sent without a record", f.Route)
			}
		}
		if _, err := s.mustCreate(op.TransferCharges); err != nil {
			t.Errorf("an enquiry needs no disk: %v", err)
		}
		s.restart()
	})
}
