package op

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestIDs(t *testing.T) {
	id, err := NewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ParseID(string(id)); err != nil || again != id {
		t.Errorf("ParseID(%q) = %q, %v", id, again, err)
	}
	if _, err := NewID(bytes.NewReader(nil)); err == nil {
		t.Error("an id was minted without randomness")
	}
	for _, bad := range []string{
		"", "x", strings.ToUpper(string(id)), "{" + string(id) + "}", "urn:uuid:" + string(id),
		strings.ReplaceAll(string(id), "-", ""), "c0000000-0000-4000-8000-000000000001",
	} {
		if _, err := ParseID(bad); !errors.Is(err, ErrID) {
			t.Errorf("ParseID(%q) = %v, want ErrID", bad, err)
		}
	}
}

func TestTimeOfAnID(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	id, err := NewID(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	at, ok := id.Time()
	if !ok || at.Before(before) || at.After(time.Now()) {
		t.Errorf("%s was generated at %v, %v", id, at, ok)
	}
	if FirstID(at) > id || FirstID(at.Add(time.Millisecond)) <= id {
		t.Errorf("%s is not between %s and the next millisecond", id, FirstID(at))
	}
	if first, end := FirstID(time.Time{}), FirstID(time.Unix(1<<40, 0)); first != "00000000-0000-0000-0000-000000000000" || end <= id {
		t.Errorf("out of range: %s, %s", first, end)
	}
	if _, ok := ID("x").Time(); ok {
		t.Error("a text that is no id has a time")
	}
}

func TestTable(t *testing.T) {
	seen := map[RouteID]bool{}
	for _, r := range Table() {
		if r.ID != RouteID(r.Method+" "+r.Path) {
			t.Errorf("route %q is %s %s", r.ID, r.Method, r.Path)
		}
		if seen[r.ID] {
			t.Errorf("route %q stands twice", r.ID)
		}
		seen[r.ID] = true
		if r.Class == "" || r.Section == "" || r.Entrances == 0 {
			t.Errorf("route %q lacks class, section or entrances", r.ID)
		}
		if r.Class == Money && r.Method == "GET" {
			t.Errorf("route %q moves money by GET", r.ID)
		}
		if got, ok := Find(r.ID); !ok || got.Path != r.Path {
			t.Errorf("Find(%q) = %v, %v", r.ID, got, ok)
		}
	}
	if _, ok := Find("POST /aeps/deposit"); ok {
		t.Error("cash deposit has a route")
	}
}

func TestAllows(t *testing.T) {
	r, _ := Find(Withdrawal)
	if !r.Allows(Merchant) || !r.Allows(Vendor) || r.Allows(Aggregator) || r.Allows("") {
		t.Error("withdrawal is for merchant and vendor")
	}
	if e, _ := Find(EnrolTerminal); e.Allows(Merchant) {
		t.Error("a route without roles allows nobody by role")
	}
}

func TestFinalStates(t *testing.T) {
	for s, final := range map[State]bool{
		Received: false, Refused: true, Reserved: false, Queued: false, Sent: false, Accepted: false,
		Unknown: false, Expired: true, NotSent: true, Pending: false, Succeeded: true, Failed: true, Reversed: true,
	} {
		if s.Final() != final {
			t.Errorf("%s.Final() = %v", s, !final)
		}
	}
}

func TestDerivedIDs(t *testing.T) {
	at := time.UnixMilli(1_795_000_000_123)
	id := DeriveID(at, "AXI1")
	if _, err := ParseID(string(id)); err != nil {
		t.Errorf("%s is no id: %v", id, err)
	}
	if got, ok := id.Time(); !ok || !got.Equal(at) {
		t.Errorf("%s is of %v", id, got)
	}
	if DeriveID(at, "AXI1") != id || DeriveID(at, "AXI2") == id || DeriveID(at.Add(time.Millisecond), "AXI1") == id {
		t.Error("an id does not name one thing")
	}
	for _, far := range []time.Time{{}, time.Unix(1<<40, 0)} {
		if _, err := ParseID(string(DeriveID(far, "x"))); err != nil {
			t.Errorf("at %v: %v", far, err)
		}
	}
}
