package rows

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestEarlier moves the times of a withdrawal, and nothing that only looks like one.
func TestEarlier(t *testing.T) {
	at := time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC)
	ms := at.UnixMilli()
	uuid := func(at time.Time, rest string) string {
		hex := fmt.Sprintf("%012x", at.UnixMilli())
		return hex[:8] + "-" + hex[8:] + "-7abc-8000-" + rest
	}
	own, other := uuid(at, "000000000001"), uuid(at.AddDate(0, -3, 0), "000000000002")
	p := Plan{Fresh: []string{own, "GL26112300ABCDEFGHJK"}, Commits: [][]Statement{{{SQL: "INSERT", Args: []Value{
		newValue(own), newValue(ms + 500), newValue(ms + 30_000), newValue(int64(10_000)), newValue(other),
		newValue("limit:2026-11-24"), newValue([]byte(`{"id":"` + own + `","day":"2026-11-24","old":"2026-10-24"}`)), newValue("GL26112300ABCDEFGHJK"), {},
	}}}}}
	by := 40 * 24 * time.Hour
	moved := uuid(at.Add(-by), "000000000001")
	got := p.Earlier(by, at)
	if strings.Join(got.Fresh, " ") != moved+" GL26112300ABCDEFGHJK" {
		t.Errorf("fresh are %q", got.Fresh)
	}
	past := at.Add(-by).UnixMilli()
	for i, want := range []any{
		moved, past + 500, past + 30_000, int64(10_000), other,
		"limit:2026-10-15", []byte(`{"id":"` + moved + `","day":"2026-10-15","old":"2026-10-24"}`), "GL26112300ABCDEFGHJK", nil,
	} {
		if v := got.Commits[0][0].Args[i].Any(); fmt.Sprintf("%s%d", v, v) != fmt.Sprintf("%s%d", want, want) {
			t.Errorf("argument %d is %s, want %s", i+1, v, want)
		}
	}
	if *p.Commits[0][0].Args[1].Int != ms+500 {
		t.Error("the plan itself changed")
	}
}
