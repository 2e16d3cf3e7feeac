package raster

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// The fonts, reduced to the counter's scripts; fonts/README.txt says how.
//
//go:embed fonts/*.ttf
var fonts embed.FS

// fontOrder is the order in which fonts are searched for a character. Latin is first, so
// that digits and stops look alike in every script.
func fontOrder() []string {
	return []string{"NotoSans", "NotoSansDevanagari", "NotoSansBengali", "NotoSansTelugu", "NotoSansTamil"}
}

// Limits.
const (
	// maxText is the most characters of a text: a slip's longest note is far shorter.
	maxText = 1000
	// Font sizes in dots that are readable on thermal paper and fit a line.
	minSize = 12
	maxSize = 96
)

// Typesetter draws text with the embedded fonts.
type Typesetter struct {
	faces  faces
	shaper shaping.HarfbuzzShaper
	split  shaping.Segmenter
}

type faces []*font.Face

// ResolveFace returns the first font that has the character, or the first of all, whose
// sign for a missing glyph is a box.
func (f faces) ResolveFace(r rune) *font.Face {
	for _, face := range f {
		if _, ok := face.NominalGlyph(r); ok {
			return face
		}
	}
	return f[0]
}

// New reads the embedded fonts.
func New() (*Typesetter, error) {
	s := &Typesetter{}
	for _, name := range fontOrder() {
		b, err := fonts.ReadFile("fonts/" + name + "-Regular.ttf")
		if err != nil {
			return nil, fmt.Errorf("font %s is not in this program: %w", name, err)
		}
		face, err := font.ParseTTF(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("font %s can't be read: %w", name, err)
		}
		s.faces = append(s.faces, face)
	}
	return s, nil
}

// glyph is a positioned glyph.
type glyph struct {
	face *font.Face
	id   font.GID
	x, y float32 // of its origin, in dots; y counts upwards from the baseline
}

// word is shaped text without a space.
type word struct {
	glyphs  []glyph
	advance float32
	// breaks are the possible break points, rune index by advance, in order.
	breaks []breakPoint
}

type breakPoint struct {
	rune    int
	advance float32
}

// shape shapes a text on one line.
func (s *Typesetter) shape(text []rune, size int) word {
	var w word
	input := shaping.Input{
		Text: text, RunEnd: len(text), Direction: di.DirectionLTR, Face: s.faces[0], Size: fixed.I(size),
	}
	for _, run := range s.split.Split(input, s.faces) {
		cluster := -1
		for _, g := range s.shaper.Shape(run).Glyphs {
			if g.TextIndex() != cluster {
				cluster = g.TextIndex()
				w.breaks = append(w.breaks, breakPoint{cluster, w.advance})
			}
			w.glyphs = append(w.glyphs, glyph{run.Face, g.GlyphID, w.advance + fromFixed(g.XOffset), fromFixed(g.YOffset)})
			w.advance += fromFixed(g.Advance)
		}
	}
	return w
}

func fromFixed(f fixed.Int26_6) float32 { return float32(f) / 64 }

// line is shaped words with their distances from the left.
type line struct {
	words []word
	at    []float32
	width float32
}

func (l *line) add(w word, space float32) {
	if len(l.words) > 0 {
		l.width += space
	}
	l.words, l.at = append(l.words, w), append(l.at, l.width)
	l.width += w.advance
}

// lines breaks a text into lines of at most width dots.
func (s *Typesetter) lines(text string, size, width int) []line {
	space := s.shape([]rune{' '}, size).advance
	var out []line
	var l line
	for _, field := range strings.Fields(clean(text)) {
		rest := []rune(field)
		for len(rest) > 0 {
			w := s.shape(rest, size)
			if len(l.words) > 0 && l.width+space+w.advance > float32(width) {
				out, l = append(out, l), line{}
			}
			n := len(rest)
			if w.advance > float32(width) {
				n = w.fitting(width, n)
				w = s.shape(rest[:n], size)
			}
			l.add(w, space)
			rest = rest[n:]
		}
	}
	if len(l.words) > 0 {
		out = append(out, l)
	}
	return out
}

// fitting is the number of runes of whole clusters that fit a width, at least the first
// cluster's.
func (w word) fitting(width, all int) int {
	n := all
	for _, b := range w.breaks {
		switch {
		case b.rune == 0:
		case b.advance <= float32(width) || n == all:
			n = b.rune
		default:
			return n
		}
	}
	return n
}

// clean bounds a text and replaces control characters by spaces, and the minus sign by a
// dash.
func clean(s string) string {
	runes := []rune(strings.ToValidUTF8(s, "?"))
	if len(runes) > maxText {
		runes = append(runes[:maxText-1], '…')
	}
	for i, r := range runes {
		switch {
		case unicode.IsControl(r):
			runes[i] = ' '
		case r == '−': // the fonts have no minus sign
			runes[i] = '–'
		}
	}
	return string(runes)
}
