package uplink

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

// TestCensus: what terminals say of themselves is counted, and no terminal can
// grow the count of versions at will.
func TestCensus(t *testing.T) {
	s := &Server{current: map[central.TerminalID]*session{}}
	add := func(version string, unresolved int, ahead time.Duration) {
		x := &session{}
		x.recordHello(wire.Frame{T: wire.THello, Version: version, Unresolved: make([]op.ID, unresolved), Clock: int64(ahead / time.Millisecond)}, 0)
		s.current[central.TerminalID(fmt.Sprint(len(s.current)))] = x
	}
	add("v1.2.0", 0, 0)
	add("v1.2.0", 3, -2*time.Minute)
	add("v1.3.0-rc.1+dirty", 9, time.Hour)
	for _, odd := range []string{"", "v1 of 9123456789", "v\n1", strings.Repeat("v", 100), "<b>"} {
		add(odd, 0, 30*time.Second)
	}
	s.current["in its handshake"] = &session{}
	c := s.Census()
	if c.Connected != 9 || c.Versions["v1.2.0"] != 2 || c.Versions["v1.3.0-rc.1+dirty"] != 1 || c.Versions[OtherVersion] != 5 {
		t.Errorf("the census is %+v", c)
	}
	if c.Unresolved != 12 || c.Deepest != 9 || c.Waiting != 2 || c.ClockWrong != 2 {
		t.Errorf("the census is %+v", c)
	}
	for i := range 1000 {
		add(fmt.Sprintf("v9.%d", i), 0, 0)
	}
	if c = s.Census(); len(c.Versions) > maxVersions+1 || c.Connected != 1009 {
		t.Errorf("%d versions of %d terminals are counted separately", len(c.Versions), c.Connected)
	}
}
