package model

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAPaymentIsTold visits every state of one payment and a counter, with its return, to the
// end and with any number of faults: it is recorded once, shown only if it is recorded, and
// in the end the counter shows both.
func TestAPaymentIsTold(t *testing.T) {
	r := holds(t, Config{Payment: true, Faults: -1})
	if r.States < 40_000 {
		t.Errorf("%d states: the parts never meet", r.States)
	}
}

// TestTwoCountersAreTold follows two counters of one shop to the end, with -depth under any
// number of faults. They share only the rows.
func TestTwoCountersAreTold(t *testing.T) {
	cfg := Config{Payment: true, Operations: 2}
	if *depth > 0 {
		cfg.Faults = -1
	}
	holds(t, cfg)
}

// TestEachRuleOfPaymentsIsNeeded breaks one rule after another. Each must be found, with the
// sentence that says what goes wrong.
func TestEachRuleOfPaymentsIsNeeded(t *testing.T) {
	for _, c := range []struct {
		name   string
		faulty Faulty
		want   string
		step   string // that the path has
	}{
		{"store before the cursor passes", Faulty{SeenBeforeStored: true}, "counter 1 does not show the payment", "counter 1 crashes"},
		{"commit before the counters are told", Faulty{TellBeforeCommit: true}, "counter 1 shows the payment, which is not recorded", "before anything is recorded"},
		{"events in the payment's own transaction", Faulty{EventsApart: true}, "counter 1 does not show the payment", "while it works on the payment"},
		{"record under the network's id", Faulty{RecordUnchecked: true}, "the payment is recorded twice", "a node records the payment"},
		{"a known payment may have a new return", Faulty{KnownIsDone: true}, "the return is not recorded", "the payment is returned"},
		{"ask for what is not reported", Faulty{NeverEnquire: true}, "the payment is not recorded", "lost for ever"},
		{"record before the period is past", Faulty{MarkBeforeRecord: true}, "the payment is not recorded", "asks the bank for payments"},
		{"look without being woken", Faulty{NeverLook: true}, "counter 1 does not show the payment", "records the payment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := explore(t, Config{Payment: true, Faults: -1, Faulty: c.faulty})
			if r.Violation == nil {
				t.Fatal("nothing was found")
			}
			if text := r.Violation.Error(); !strings.Contains(r.Violation.Rule, c.want) || !strings.Contains(text, c.step) {
				t.Errorf("want %q by way of %q, got %s", c.want, c.step, text)
			}
		})
	}
}

func TestNothingOfAPaymentIsLostInPacking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &paymentExplorer{cfg: Config{Operations: 2, Faults: 3, Faulty: Faulty{SeenBeforeStored: rapid.Bool().Draw(t, "late")}}}
		k := h.start()
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			arrows := h.next(k)
			if len(arrows) == 0 {
				break
			}
			k = arrows[rapid.IntRange(0, len(arrows)-1).Draw(t, "arrow")].to
			if s := unpackPayment(k); s.pack() != k {
				t.Fatalf("unpacked %+v", s)
			}
		}
	})
}
