package screen

import (
	"strings"
	"time"

	"galla/edge"
)

// From when on the bar warns of something that has not gone wrong yet.
const (
	skewWarning = 2 * time.Minute    // the bank refuses captures from 5 minutes on, or 10 (domain.md)
	certWarning = 7 * 24 * time.Hour // a registered device renews its certificate by itself when it is online
)

// chip is one fact of the status bar: an icon, a word and a colour that say the
// same.
type chip struct {
	Name   string
	Icon   string
	Tone   string // ok, warn, bad
	Text   string
	Detail string
	Href   string
}

// bar is the status bar that every page shows.
type bar struct {
	Shop    string
	Agent   string
	TID     string
	Chips   []chip
	Trouble []string
}

// status reads the counter's state for the bar; ses is nil on a locked screen.
func (s *Screen) status(st edge.Status, ses *session) bar {
	b := bar{Shop: st.Merchant, TID: st.TID}
	b.Chips = []chip{s.linkChip(st), s.deviceChip(st), s.sessionChip(st)}
	if ses != nil {
		b.Agent = ses.agent
		b.Chips = append(b.Chips, s.openChip(st))
	}
	for _, text := range []string{st.Trouble, s.skew(st.Link.Offset), s.certificate(st.Device, st.Now)} {
		if text != "" {
			b.Trouble = append(b.Trouble, text)
		}
	}
	return b
}

func (s *Screen) linkChip(st edge.Status) chip {
	c := chip{Name: s.words.say("status.line"), Icon: "line", Tone: "ok", Text: s.words.say("status.line.up")}
	switch {
	case st.Link.Revoked:
		c.Icon, c.Tone, c.Text = "line-down", "bad", s.words.say("status.line.revoked")
		c.Detail = s.words.say("status.line.revoked.detail")
	case !st.Link.Up && st.Link.Since.IsZero():
		c.Icon, c.Tone, c.Text, c.Detail = "line-down", "bad", s.words.say("status.line.never"), st.Link.Problem
	case !st.Link.Up:
		c.Icon, c.Tone, c.Detail = "line-down", "bad", st.Link.Problem
		c.Text = s.words.say("status.line.down", "time", s.words.clock(st.Link.Since, st.Now))
	}
	return c
}

func (s *Screen) deviceChip(st edge.Status) chip {
	c := chip{Name: s.words.say("status.reader"), Icon: "finger", Tone: "bad", Detail: st.Device.Name}
	if st.Device.Problem != "" {
		c.Detail = strings.TrimPrefix(st.Device.Name+": "+st.Device.Problem, ": ")
	}
	switch st.Device.Status {
	case "READY":
		c.Tone, c.Text = "ok", s.words.say("status.reader.ready")
	case "USED":
		c.Tone, c.Text = "warn", s.words.say("status.reader.used")
	case "NOTREADY":
		c.Tone, c.Text = "warn", s.words.say("status.reader.notready")
	default:
		c.Text = s.words.say("status.reader.absent")
	}
	return c
}

func (s *Screen) sessionChip(st edge.Status) chip {
	c := chip{Name: s.words.say("status.day"), Icon: "day", Tone: "ok", Href: "/day"}
	if !st.Session.Active {
		c.Tone, c.Text = "warn", s.words.say("status.day.none")
		return c
	}
	c.Text = s.words.say("status.day.left", "span", s.words.brief(st.Session.ExpiresAt.Sub(st.Now)))
	c.Detail = s.words.say("status.day.until", "time", s.words.clock(st.Session.ExpiresAt, st.Now))
	return c
}

func (s *Screen) openChip(st edge.Status) chip {
	c := chip{Name: s.words.say("status.open"), Icon: "list", Tone: "ok", Href: "/operations", Text: s.words.say("status.open.none")}
	if st.Unresolved > 0 {
		c.Tone, c.Text = "warn", s.words.count("status.open", st.Unresolved)
	}
	return c
}

// skew warns of a clock that is off.
func (s *Screen) skew(offset time.Duration) string {
	switch {
	case offset >= skewWarning:
		return s.words.say("status.clock.behind", "span", s.words.span(offset))
	case offset <= -skewWarning:
		return s.words.say("status.clock.ahead", "span", s.words.span(-offset))
	}
	return ""
}

// certificate warns of a device certificate that ends soon.
func (s *Screen) certificate(d edge.DeviceState, now time.Time) string {
	if d.CertEnd.IsZero() || d.CertEnd.Sub(now) > certWarning {
		return ""
	}
	return s.words.say("status.reader.certificate", "name", d.Name, "time", s.words.clock(d.CertEnd, now))
}

// readiness is what the agent should see before a finger is asked for: reader,
// line and clock.
func (s *Screen) readiness(st edge.Status) []chip {
	device, link := s.deviceChip(st), s.linkChip(st)
	if device.Tone == "ok" {
		device.Detail = st.Device.Name
	}
	timing := chip{Name: s.words.say("status.clock"), Icon: "wait", Tone: "ok", Text: s.words.say("status.clock.right")}
	if s.skew(st.Link.Offset) != "" { // what to do stands in the banner
		timing.Tone, timing.Text = "warn", s.words.say("status.clock.wrong")
	}
	return []chip{device, link, timing}
}
