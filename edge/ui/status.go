package ui

import (
	"strings"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
)

// When the status bar warns of something that still works.
const (
	skewWarning = 2 * time.Minute    // the bank refuses captures from 5 minutes on, or 10 (domain.md, 'Rules of AEPS')
	certWarning = 7 * 24 * time.Hour // an online registered device renews its certificate by itself
)

// Chip is one fact of the status bar: icon, word and colour say the same.
type Chip struct {
	Name   string
	Icon   string
	Tone   string // ok, warn, bad
	Text   string
	Detail string
	Href   string
}

type statusBar struct {
	Shop     string
	Agent    string
	TID      string
	Chips    []Chip
	Places   []MenuItem // what is no tile of the first page: behind 'More' on a phone
	Warnings []string
	Cash     cashBar
	Payments paymentBar
}

// makeStatusBar describes the counter's state; ses is nil on a locked page.
func (k *Kit) makeStatusBar(w *i18n.Localizer, st edge.Status, ses *Session) statusBar {
	b := statusBar{Shop: st.Merchant, TID: st.TID}
	b.Chips = []Chip{linkChip(w, st), deviceChip(w, st), sessionChip(w, st, ses)}
	if ses != nil {
		b.Agent = ses.Operator.Name
		for _, section := range k.sections {
			if section.Chips != nil {
				b.Chips = append(b.Chips, section.Chips(ses)...)
			}
		}
		b.Chips = append(b.Chips, unfinishedChip(w, st))
		b.Places = k.Places(ses)
	}
	for _, x := range st.Warnings {
		b.Warnings = append(b.Warnings, outcome.WarningText(w, x))
	}
	for _, text := range []string{clockWarning(w, st.Link.Offset), certificateWarning(w, st.Reader, st.Now)} {
		if text != "" {
			b.Warnings = append(b.Warnings, text)
		}
	}
	return b
}

// englishOnly returns a reason that exists in English only; in other languages the chip's
// own text must do.
func englishOnly(w *i18n.Localizer, text string) string {
	if w.Code() != i18n.English {
		return ""
	}
	return text
}

func linkChip(w *i18n.Localizer, st edge.Status) Chip {
	c := Chip{Name: w.Text("status.link"), Icon: "online", Tone: "ok", Text: w.Text("status.link.online"), Href: "/connection"}
	switch {
	case st.Link.Revoked:
		c.Icon, c.Tone, c.Text = "offline", "bad", w.Text("status.link.revoked")
		c.Detail = w.Text("status.link.revoked.detail")
	case !st.Link.Online && st.Link.Since.IsZero():
		c.Icon, c.Tone, c.Text, c.Detail = "offline", "bad", w.Text("status.link.never"), outcome.LinkText(w, st.Link)
	case !st.Link.Online:
		c.Icon, c.Tone, c.Detail = "offline", "bad", outcome.LinkText(w, st.Link)
		c.Text = w.Text("status.link.offline", "time", w.ShortTime(st.Link.Since, st.Now))
	}
	return c
}

func deviceChip(w *i18n.Localizer, st edge.Status) Chip {
	c := Chip{Name: w.Text("status.reader"), Icon: "finger", Tone: "bad", Detail: st.Reader.Name}
	if englishOnly(w, st.Reader.Problem) != "" {
		c.Detail = strings.TrimPrefix(st.Reader.Name+": "+st.Reader.Problem, ": ")
	}
	switch st.Reader.Status {
	case "READY":
		c.Tone, c.Text = "ok", w.Text("status.reader.ready")
	case "USED":
		c.Tone, c.Text = "warn", w.Text("status.reader.used")
	case "NOTREADY":
		c.Tone, c.Text = "warn", w.Text("status.reader.notready")
		if st.Reader.OtherReader {
			c.Tone, c.Text, c.Href = "bad", w.Text("status.reader.other"), "/readers"
		}
	default:
		c.Text = w.Text("status.reader.absent")
	}
	return c
}

func sessionChip(w *i18n.Localizer, st edge.Status, ses *Session) Chip {
	c := Chip{Name: w.Text("status.session"), Icon: "day", Tone: "ok", Href: "/sign-in"}
	if !st.Session.Active || ses != nil && !st.Session.BelongsTo(ses.Operator) {
		c.Tone, c.Text = "warn", w.Text("status.session.none")
		return c
	}
	c.Text = w.Text("status.session.left", "span", w.ShortDuration(st.Session.ExpiresAt.Sub(st.Now)))
	c.Detail = w.Text("status.session.until", "time", w.ShortTime(st.Session.ExpiresAt, st.Now))
	return c
}

func unfinishedChip(w *i18n.Localizer, st edge.Status) Chip {
	c := Chip{Name: w.Text("status.unfinished"), Icon: "list", Tone: "ok", Href: "/operations", Text: w.Text("status.unfinished.none")}
	if n := st.Unresolved + len(st.OpenCash); n > 0 {
		c.Tone, c.Text = "warn", w.Plural("status.unfinished", n)
	}
	return c
}

func clockWarning(w *i18n.Localizer, offset time.Duration) string {
	switch {
	case offset >= skewWarning:
		return w.Text("status.clock.behind", "span", w.Duration(offset))
	case offset <= -skewWarning:
		return w.Text("status.clock.ahead", "span", w.Duration(-offset))
	}
	return ""
}

func certificateWarning(w *i18n.Localizer, d edge.ReaderState, now time.Time) string {
	if d.CertEnd.IsZero() || d.CertEnd.Sub(now) > certWarning {
		return ""
	}
	return w.Text("status.reader.certificate", "name", d.Name, "time", w.ShortTime(d.CertEnd, now))
}

// Readiness returns what the agent should see before a finger is captured: reader,
// connection and clock.
func Readiness(w *i18n.Localizer, st edge.Status) []Chip {
	device, link := deviceChip(w, st), linkChip(w, st)
	if device.Tone == "ok" {
		device.Detail = st.Reader.Name
	}
	timing := Chip{Name: w.Text("status.clock"), Icon: "wait", Tone: "ok", Text: w.Text("status.clock.right")}
	if clockWarning(w, st.Link.Offset) != "" { // the banner says what to do
		timing.Tone, timing.Text = "warn", w.Text("status.clock.wrong")
	}
	return []Chip{device, link, timing}
}
