package web

import (
	"strings"
	"time"

	"galla/edge"
	"galla/edge/words"
)

// From when on the bar warns of something that has not gone wrong yet.
const (
	skewWarning = 2 * time.Minute    // the bank refuses captures from 5 minutes on, or 10 (domain.md)
	certWarning = 7 * 24 * time.Hour // a registered device renews its certificate by itself when it is online
)

// Chip is one fact of the status bar: an icon, a word and a colour that say the
// same.
type Chip struct {
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
	Chips   []Chip
	Trouble []string
	Cash    strip
}

// status reads the counter's state for the bar; ses is nil on a locked screen.
func (k *Kit) status(w *words.Words, st edge.Status, ses *Session) bar {
	b := bar{Shop: st.Merchant, TID: st.TID}
	b.Chips = []Chip{linkChip(w, st), deviceChip(w, st), sessionChip(w, st, ses)}
	if ses != nil {
		b.Agent = ses.Operator.Name
		for _, r := range k.rooms {
			if c, ok := r.(Chipper); ok {
				b.Chips = append(b.Chips, c.Chips(ses)...)
			}
		}
		b.Chips = append(b.Chips, openChip(w, st))
	}
	for _, text := range []string{st.Trouble, skew(w, st.Link.Offset), certificate(w, st.Device, st.Now)} {
		if text != "" {
			b.Trouble = append(b.Trouble, text)
		}
	}
	return b
}

// problem is what line or reader tell in English, the only language that they
// speak; elsewhere the chip's own words must do.
func problem(w *words.Words, text string) string {
	if w.Code() != words.English {
		return ""
	}
	return text
}

func linkChip(w *words.Words, st edge.Status) Chip {
	c := Chip{Name: w.Say("status.line"), Icon: "line", Tone: "ok", Text: w.Say("status.line.up"), Href: "/line"}
	switch {
	case st.Link.Revoked:
		c.Icon, c.Tone, c.Text = "line-down", "bad", w.Say("status.line.revoked")
		c.Detail = w.Say("status.line.revoked.detail")
	case !st.Link.Up && st.Link.Since.IsZero():
		c.Icon, c.Tone, c.Text, c.Detail = "line-down", "bad", w.Say("status.line.never"), problem(w, st.Link.Problem)
	case !st.Link.Up:
		c.Icon, c.Tone, c.Detail = "line-down", "bad", problem(w, st.Link.Problem)
		c.Text = w.Say("status.line.down", "time", w.Clock(st.Link.Since, st.Now))
	}
	return c
}

func deviceChip(w *words.Words, st edge.Status) Chip {
	c := Chip{Name: w.Say("status.reader"), Icon: "finger", Tone: "bad", Detail: st.Device.Name}
	if problem(w, st.Device.Problem) != "" {
		c.Detail = strings.TrimPrefix(st.Device.Name+": "+st.Device.Problem, ": ")
	}
	switch st.Device.Status {
	case "READY":
		c.Tone, c.Text = "ok", w.Say("status.reader.ready")
	case "USED":
		c.Tone, c.Text = "warn", w.Say("status.reader.used")
	case "NOTREADY":
		c.Tone, c.Text = "warn", w.Say("status.reader.notready")
		if st.Device.Other {
			c.Tone, c.Text, c.Href = "bad", w.Say("status.reader.other"), "/devices"
		}
	default:
		c.Text = w.Say("status.reader.absent")
	}
	return c
}

func sessionChip(w *words.Words, st edge.Status, ses *Session) Chip {
	c := Chip{Name: w.Say("status.day"), Icon: "day", Tone: "ok", Href: "/day"}
	if !st.Session.Active || ses != nil && !st.Session.Of(ses.Operator) {
		c.Tone, c.Text = "warn", w.Say("status.day.none")
		return c
	}
	c.Text = w.Say("status.day.left", "span", w.Brief(st.Session.ExpiresAt.Sub(st.Now)))
	c.Detail = w.Say("status.day.until", "time", w.Clock(st.Session.ExpiresAt, st.Now))
	return c
}

func openChip(w *words.Words, st edge.Status) Chip {
	c := Chip{Name: w.Say("status.open"), Icon: "list", Tone: "ok", Href: "/operations", Text: w.Say("status.open.none")}
	if n := st.Unresolved + len(st.Cash); n > 0 {
		c.Tone, c.Text = "warn", w.Count("status.open", n)
	}
	return c
}

// skew warns of a clock that is off.
func skew(w *words.Words, offset time.Duration) string {
	switch {
	case offset >= skewWarning:
		return w.Say("status.clock.behind", "span", w.Span(offset))
	case offset <= -skewWarning:
		return w.Say("status.clock.ahead", "span", w.Span(-offset))
	}
	return ""
}

// certificate warns of a device certificate that ends soon.
func certificate(w *words.Words, d edge.DeviceState, now time.Time) string {
	if d.CertEnd.IsZero() || d.CertEnd.Sub(now) > certWarning {
		return ""
	}
	return w.Say("status.reader.certificate", "name", d.Name, "time", w.Clock(d.CertEnd, now))
}

// Readiness is what the agent should see before a finger is asked for: reader,
// line and clock.
func Readiness(w *words.Words, st edge.Status) []Chip {
	device, link := deviceChip(w, st), linkChip(w, st)
	if device.Tone == "ok" {
		device.Detail = st.Device.Name
	}
	timing := Chip{Name: w.Say("status.clock"), Icon: "wait", Tone: "ok", Text: w.Say("status.clock.right")}
	if skew(w, st.Link.Offset) != "" { // what to do stands in the banner
		timing.Tone, timing.Text = "warn", w.Say("status.clock.wrong")
	}
	return []Chip{device, link, timing}
}
