package edge_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
	"galla/shared/op"
)

func TestAnEnquiryDoesNotOutliveItsProgram(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		id := s.must(op.CustomerStatus)
		s.restart()
		if _, err := s.c.Operation(id); !errors.Is(err, edge.ErrNotFound) {
			t.Errorf("it is still here: %v", err)
		}
	})
}

func TestAnEnquiryThatIsAnsweredNo(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		id := s.must(op.CustomerDetail)
		s.receive(succeeded(id, op.Succeeded, 200, `{"statusCode":"01","message":"Customer not found"}`))
		if v := s.view(id); v.Verdict() != edge.VerdictNoCash || v.Result.Message != "Customer not found" {
			t.Errorf("verdict %s, %+v", v.Verdict(), v.Result)
		}
	})
}

func TestAnEnquiryThatGoesOffline(t *testing.T) {
	withTestCounter(t, func(s *testCounter) {
		s.goOnline()
		for range 8 { // the window is full, so the next one waits for a place
			s.must(op.CustomerDetail)
		}
		waits := s.must(op.AgentValidateOTP)
		s.wantState(waits, op.Queued)
		s.goOffline()
		s.wantState(waits, op.Expired)
		s.goOnline()
		time.Sleep(time.Minute)
		s.wantSent(waits, 0)
	})
}

func TestARemittersLastKnownDetails(t *testing.T) {
	details := func(mobile string) string {
		return fmt.Sprintf(`{"statusCode":"00","message":"sender found","data":{"senderId":"s-%s","beneficiarydetail":[{"accountnumberText":"00123456789"}]}}`, mobile)
	}
	ask := func(s *testCounter, mobile string) (edge.View, error) {
		v, err := s.c.Start(edge.Request{Route: op.RemitterDetails, Fields: []byte(`{"sender_mobilenumber":"` + mobile + `"}`)})
		synctest.Wait()
		return v, err
	}
	learn := func(s *testCounter, mobile string) {
		v, err := ask(s, mobile)
		if err != nil {
			s.t.Fatal(err)
		}
		s.receive(succeeded(v.ID, op.Succeeded, 200, details(mobile)))
	}
	unknown := func(s *testCounter, mobile string) {
		s.t.Helper()
		var p *edge.PreconditionError
		if _, err := ask(s, mobile); !errors.As(err, &p) || p.Code != "link" {
			s.t.Errorf("details of %s = %v, want a refusal because it is offline", mobile, err)
		}
	}
	t.Run("are given with their age", func(t *testing.T) {
		withTestCounter(t, func(s *testCounter) {
			s.goOnline()
			learn(s, "9876543210")
			at := time.Now()
			s.restart()
			time.Sleep(time.Hour)
			unknown(s, "9876543211")
			v, err := ask(s, "9876543210")
			if err != nil || !v.KnownAt.Equal(at) || v.ReplyValue("senderId") != "s-9876543210" || v.Reason != edge.ReasonFromCache {
				t.Errorf("details = %+v, %v", v, err)
			}
		})
	})
	t.Run("are forgotten after a day", func(t *testing.T) {
		withTestCounter(t, func(s *testCounter) {
			s.goOnline()
			learn(s, "9876543210")
			s.goOffline()
			time.Sleep(24*time.Hour + 2*time.Second)
			if value, _, _, err := s.queue.GetCache("remitters"); err != nil || strings.Contains(string(value), "98765") {
				t.Errorf("the cache still holds %s, %v", value, err)
			}
			unknown(s, "9876543210")
		})
	})
	t.Run("are forgotten after a day without the program", func(t *testing.T) {
		withTestCounter(t, func(s *testCounter) {
			s.goOnline()
			learn(s, "9876543210")
			s.goOffline()
			s.stop()
			time.Sleep(25 * time.Hour)
			s.open()
			time.Sleep(2 * time.Second)
			if value, _, _, err := s.queue.GetCache("remitters"); err != nil || strings.Contains(string(value), "98765") {
				t.Errorf("the cache still holds %s, %v", value, err)
			}
			unknown(s, "9876543210")
		})
	})
	t.Run("are bounded", func(t *testing.T) {
		withTestCounter(t, func(s *testCounter) {
			s.goOnline()
			for i := range 45 {
				learn(s, fmt.Sprintf("98765%05d", i))
			}
			s.goOffline()
			unknown(s, "9876500004")
			if _, err := ask(s, "9876500005"); err != nil {
				t.Errorf("the 40 latest are not known: %v", err)
			}
		})
	})
	t.Run("a reply of another customer is not cached", func(t *testing.T) {
		withTestCounter(t, func(s *testCounter) {
			s.goOnline()
			v, err := ask(s, "9876543210")
			if err != nil {
				t.Fatal(err)
			}
			s.receive(succeeded(v.ID, op.Succeeded, 200, `{"statusCode":"01","message":"sender not found"}`))
			s.goOffline()
			unknown(s, "9876543210")
		})
	})
}
