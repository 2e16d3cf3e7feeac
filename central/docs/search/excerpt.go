package search

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// excerptSize is how much of a text a result shows, in bytes.
const excerptSize = 240

// excerpt returns the part of a text with the most marked words, and marks them.
func excerpt(t text, marked map[string]bool) []Piece {
	var hits []word
	for _, w := range t.words {
		if !marked[w.stem] {
			continue
		}
		if n := len(hits); n > 0 && w.from < hits[n-1].to { // a part of a name that is marked whole
			continue
		}
		hits = append(hits, w)
	}
	text := t.shown
	from, to := window(text, hits)
	var out []Piece
	add := func(part string, isHit bool) {
		if part != "" {
			out = append(out, Piece{part, isHit})
		}
	}
	at := from
	for _, h := range hits {
		if h.from < at || h.to > to {
			continue
		}
		add(text[at:h.from], false)
		add(text[h.from:h.to], true)
		at = h.to
	}
	add(text[at:to], false)
	if len(out) > 0 && from > 0 {
		out = append([]Piece{{"… ", false}}, out...)
	}
	if len(out) > 0 && to < len(text) {
		add(" …", false)
	}
	return out
}

// window returns the bounds of the part that has the most hits. It begins and ends between
// words.
func window(text string, hits []word) (from, to int) {
	most := 0
	for i, h := range hits {
		var different []string
		for _, next := range hits[i:] {
			if next.to-h.from > excerptSize*3/4 {
				break
			}
			if !slices.Contains(different, next.stem) {
				different = append(different, next.stem)
			}
		}
		if len(different) > most {
			most, from = len(different), h.from
		}
	}
	// Some words before the first hit say what it is about.
	from = max(0, from-excerptSize/5)
	to = min(len(text), from+excerptSize)
	if from > 0 {
		if space := strings.IndexByte(text[from:to], ' '); space >= 0 {
			from += space + 1
		}
	}
	if to < len(text) {
		if space := strings.LastIndexByte(text[from:to], ' '); space > 0 {
			to = from + space
		}
	}
	for from < to && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return from, to
}
