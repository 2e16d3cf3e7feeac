package raster

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"galla/edge/printing/escpos"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

func setter(t testing.TB) *Typesetter {
	t.Helper()
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// texts say 'cash withdrawal successful', or near it, with an amount.
func texts() map[string]string {
	return map[string]string{
		"en": "Cash withdrawal successful ₹1,23,456.50",
		"hi": "नकद निकासी सफल हुई ₹1,23,456.50 क्षत्रिय श्रीकृष्ण",
		"mr": "रोख रक्कम काढणे यशस्वी ₹1,23,456.50 ज्ञानेश्वर",
		"bn": "নগদ উত্তোলন সফল হয়েছে ₹1,23,456.50 ক্ষুদ্র শ্রী",
		"te": "నగదు ఉపసంహరణ విజయవంతమైంది ₹1,23,456.50 శ్రీ",
		"ta": "பணம் எடுத்தல் வெற்றி ₹1,23,456.50 கொடுக்கப்பட்டது",
	}
}

// picture is a bitmap as PNG files take it.
type picture struct{ *escpos.Bitmap }

func (picture) ColorModel() color.Model { return color.GrayModel }

func (p picture) Bounds() image.Rectangle { return image.Rect(0, 0, p.Width, p.Height) }

func (p picture) At(x, y int) color.Color {
	if p.Black(x, y) {
		return color.Black
	}
	return color.White
}

func TestGoldenPictures(t *testing.T) {
	s := setter(t)
	for code, text := range texts() {
		m := s.Render(text, Style{Size: 26, Align: escpos.Centre}, escpos.Dots58)
		var got bytes.Buffer
		if err := png.Encode(&got, picture{m}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", code+".png")
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		f, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := png.Decode(bytes.NewReader(f))
		if err != nil {
			t.Fatal(err)
		}
		if want.Bounds() != (picture{m}).Bounds() {
			t.Errorf("%s: %v, want %v", code, picture{m}.Bounds(), want.Bounds())
			continue
		}
		for y := range m.Height {
			for x := range m.Width {
				if r, _, _, _ := want.At(x, y).RGBA(); (r == 0) != m.Black(x, y) {
					t.Fatalf("%s: the dot at %d, %d differs; look at the picture after -update", code, x, y)
				}
			}
		}
	}
}

func TestEveryLetterHasAGlyph(t *testing.T) {
	s := setter(t)
	for code, text := range texts() {
		for _, r := range text {
			if _, ok := s.faces.ResolveFace(r).NominalGlyph(r); !ok {
				t.Errorf("%s: no font has %q", code, r)
			}
		}
	}
}

// TestScriptsAreWhole: the reduced fonts have every character of the scripts' blocks,
// except two that are newer than the fonts.
func TestScriptsAreWhole(t *testing.T) {
	s := setter(t)
	for _, block := range []struct {
		table       *unicode.RangeTable
		first, last rune
	}{
		{unicode.Latin, 0x20, 0x17f}, {unicode.Devanagari, 0x900, 0x97f}, {unicode.Bengali, 0x980, 0x9fe},
		{unicode.Telugu, 0xc00, 0xc7f}, {unicode.Tamil, 0xb80, 0xbff},
	} {
		for r := block.first; r <= block.last; r++ {
			late := r == 0xc3c || r == 0xc5d
			if _, ok := s.faces.ResolveFace(r).NominalGlyph(r); !ok && !late && unicode.Is(block.table, r) {
				t.Errorf("no font has U+%04X", r)
			}
		}
	}
	for _, r := range "₹€–—‘’“”…•।॥\u200c\u200d◌" {
		if _, ok := s.faces.ResolveFace(r).NominalGlyph(r); !ok {
			t.Errorf("no font has %q", r)
		}
	}
}

func black(m *escpos.Bitmap) int {
	n := 0
	for y := range m.Height {
		for x := range m.Width {
			if m.Black(x, y) {
				n++
			}
		}
	}
	return n
}

func TestEdges(t *testing.T) {
	s := setter(t)
	style := Style{Size: 24}
	if m := s.Render(" \n\x1b ", style, 384); m.Height != 0 {
		t.Errorf("nothing is %d dots high", m.Height)
	}
	if m := s.Render("漢", style, 384); black(m) == 0 {
		t.Error("a character without a glyph leaves nothing on paper")
	}
	if minus, dash := s.Render("−₹5", style, 384), s.Render("–₹5", style, 384); black(minus) != black(dash) {
		t.Error("a minus sign is no dash on paper")
	}
	if m := s.Render(strings.Repeat("नि", 200), style, 384); m.Height < 5*lineHeight(24) {
		t.Errorf("a long word stands on %d dots", m.Height)
	}
	if m := s.Render("निकासी", style, 3); m.Width != 3 || black(m) == 0 {
		t.Errorf("narrow paper gives %d × %d", m.Width, m.Height)
	}
	if one, two := s.RenderPair("बैंक", "SBI", style, 384), s.RenderPair("बैंक", strings.Repeat("भारतीय ", 8), style, 384); one.Height != lineHeight(24) || two.Height <= one.Height {
		t.Errorf("pairs are %d and %d dots high", one.Height, two.Height)
	}
}

func FuzzSet(f *testing.F) {
	for _, text := range texts() {
		f.Add(text)
	}
	s := setter(f)
	f.Fuzz(func(t *testing.T, text string) {
		if m := s.Render(text, Style{Size: 24}, escpos.Dots58); m.Width != escpos.Dots58 {
			t.Fatal(m.Width)
		}
	})
}
