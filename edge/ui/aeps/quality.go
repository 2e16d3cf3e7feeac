package aeps

import (
	"slices"

	"galla/edge"
	"galla/edge/i18n"
	"galla/shared/op"
)

// Thresholds of a print's quality, of 100 (rdservice.md, 'Quality in the field').
const (
	printFaint = 45
	printGood  = 70
)

// fingerMismatchCodes are the bank's codes for a print that does not match or can't be
// compared (domain.md, 'Codes').
var fingerMismatchCodes = []string{"U3", "VB", "VZ", "W6"}

type printQuality struct {
	Head  string
	Tone  string // ok, warn, bad
	Width int    // of the bar, in thousandths
	Tips  []tip
}

type tip struct{ Icon, Text string }

// printQualityOf says what to do about the finger: clean it after a faint print, take
// another finger after a clear one. nil where the failure has another cause, or the reader
// reported no quality.
func printQualityOf(words *i18n.Localizer, v edge.View) *printQuality {
	refused := v.State == op.Failed && slices.Contains(fingerMismatchCodes, v.Result.Code)
	quality := 0
	switch {
	case v.Problem != nil:
		quality = v.Problem.Quality
	case refused:
		quality = v.Quality
	}
	if quality <= 0 {
		return nil
	}
	r := &printQuality{Tone: "bad", Width: min(quality, 100) * 10, Head: words.Text("finger.quality", "quality", quality)}
	wipe := tip{"tick", words.Text("finger.wipe")}
	other := tip{"finger", words.Text("finger.other")}
	switch {
	case quality < printFaint:
		r.Tips = []tip{wipe, other}
	case quality < printGood:
		r.Tone, r.Tips = "warn", []tip{other, wipe}
	default:
		r.Tone, r.Tips = "ok", []tip{{"finger", words.Text("finger.unknown")}}
	}
	return r
}
