package uplink

import "time"

// useProbe decides when a connection that is in use is pinged, and when it is dead. One
// that is idle sends nothing.
type useProbe struct {
	heard int64         // signs of life so far
	since time.Time     // when the last of them was noticed
	sent  int64         // bytes given to the socket until then
	asked time.Time     // when the ping was sent that nothing answered yet; zero: none
	took  time.Duration // from the last answered ping to its answer
}

// look is called at each moment of lookEvery, with the signs of life and the bytes sent so
// far.
func (p *useProbe) look(now time.Time, heard, sent int64, inUse bool) (ping, dead bool) {
	switch {
	case heard != p.heard || p.since.IsZero():
		if !p.asked.IsZero() {
			p.took = now.Sub(p.asked)
		}
		p.heard, p.since, p.sent, p.asked = heard, now, sent, time.Time{}
	case !inUse:
		p.asked = time.Time{} // the slower ping and the reader's deadline watch it
	case p.asked.IsZero():
		if now.Sub(p.since) >= askAfter {
			p.asked, ping = now, true
		}
	default:
		dead = now.Sub(p.asked) >= p.patience(sent)
	}
	return ping, dead
}

// patience is how long the answer to a ping may take.
func (p *useProbe) patience(sent int64) time.Duration {
	large := max(sent-p.sent-smallMessage, 0)
	return max(answerWait, slowFactor*(p.took-lookEvery)) + time.Duration(large)*time.Second/slowest
}
