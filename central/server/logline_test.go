package server

import "testing"

// TestAWithdrawalWritesOneLine: who called, how it ended, and its names at the bank.
func TestAWithdrawalWritesOneLine(t *testing.T) {
	log := &logBuffer{}
	s := newStackWith(t, log, nil)
	text := request("POST", "/aeps/withdrawal", withdrawalBody(), "Authorization", s.token(t, "merchant-lakshmi"))
	for range 2 { // the first one opens the agent's session
		before := len(log.lines(t))
		if status, err := s.call(text); err != nil || status != 200 {
			t.Fatalf("HTTP %d %s, %v", status, s.reply, err)
		}
		lines := log.lines(t)[before:] // they are written before the reply
		if len(lines) != 1 || lines[0]["msg"] != "request" || lines[0]["http"] != 200.0 || lines[0]["state"] != "succeeded" || lines[0]["code"] != "00" {
			t.Fatalf("the log of a withdrawal: %v", lines)
		}
		for _, name := range []string{"request", "operation", "reference", "caller", "client", "merchant", "took"} {
			if lines[0][name] == nil || lines[0][name] == "" {
				t.Errorf("no %s in %v", name, lines[0])
			}
		}
	}
}
