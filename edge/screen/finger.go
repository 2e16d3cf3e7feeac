package screen

import (
	"slices"

	"galla/edge"
	"galla/edge/words"
	"galla/shared/op"
)

// The qualities of a print, of 100 (rdservice.md, 'Quality in the field').
const (
	printFaint = 45
	printGood  = 70
)

// mismatches are the bank's codes for a print that is not the customer's as
// Aadhaar knows it, or can't be compared (domain.md).
var mismatches = []string{"U3", "VB", "VZ", "W6"}

// reading is how good the print was, and what helps.
type reading struct {
	Head  string
	Tone  string // ok, warn, bad
	Width int    // of a bar of a thousand
	Helps []help
}

// help is one thing to do, with its drawing.
type help struct{ Icon, Text string }

// readingOf says what to do about the finger by the print's quality: clean it
// where the print was faint, take another one where it was clear. nil where the
// finger is not to blame, or the reader told no quality.
func readingOf(said *words.Words, v edge.View) *reading {
	refused := v.State == op.Failed && slices.Contains(mismatches, v.Result.Code)
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
	r := &reading{Tone: "bad", Width: min(quality, 100) * 10, Head: said.Say("finger.quality", "quality", quality)}
	wipe := help{"tick", said.Say("finger.wipe")}
	other := help{"finger", said.Say("finger.other")}
	switch {
	case quality < printFaint:
		r.Helps = []help{wipe, other}
	case quality < printGood:
		r.Tone, r.Helps = "warn", []help{other, wipe}
	default:
		r.Tone, r.Helps = "ok", []help{{"finger", said.Say("finger.unknown")}}
	}
	return r
}
