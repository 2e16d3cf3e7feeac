package raster

import (
	"image"
	"image/draw"

	"github.com/go-text/typesetting/font/opentype"
	"golang.org/x/image/vector"

	"galla/edge/printing/escpos"
)

// Style is the look of a text.
type Style struct {
	Size  int // font size in dots; 12 to 96
	Align escpos.Align
}

// Parts of a line's height in hundredths of the size: Indian scripts are taller than
// Latin.
const (
	ascent            = 105
	lineHeightPercent = 145
)

// inkThreshold is the least coverage, of 255, of a black dot; thermal heads thicken what
// they burn.
const inkThreshold = 112

// Render draws text of any number of lines for paper of a width in dots. Text without a
// letter returns a bitmap of no height.
func (s *Typesetter) Render(text string, style Style, width int) *escpos.Bitmap {
	size := style.size()
	lines := s.lines(text, size, width)
	page := newPage(width, len(lines), size)
	for i, l := range lines {
		left := float32(0)
		switch style.Align {
		case escpos.Centre:
			left = (float32(width) - l.width) / 2
		case escpos.Right:
			left = float32(width) - l.width
		}
		page.draw(l, max(left, 0), i)
	}
	return page.bitmap()
}

// RenderPair draws a label on the left and a value on the right, on separate lines where
// both do not fit on one.
func (s *Typesetter) RenderPair(label, value string, style Style, width int) *escpos.Bitmap {
	size := style.size()
	left, right := s.lines(label, size, width), s.lines(value, size, width)
	if len(left) == 1 && len(right) == 1 && left[0].width+right[0].width+float32(size)/2 <= float32(width) {
		page := newPage(width, 1, size)
		page.draw(left[0], 0, 0)
		page.draw(right[0], float32(width)-right[0].width, 0)
		return page.bitmap()
	}
	page := newPage(width, len(left)+len(right), size)
	for i, l := range left {
		page.draw(l, 0, i)
	}
	for i, l := range right {
		page.draw(l, max(float32(width)-l.width, 0), len(left)+i)
	}
	return page.bitmap()
}

func (s Style) size() int { return min(max(s.Size, minSize), maxSize) }

// canvas collects lines of one size.
type canvas struct {
	rasterizer *vector.Rasterizer
	w, h       int
	size       int
}

func newPage(width, lines, size int) *canvas {
	p := &canvas{w: max(width, 0), h: lines * lineHeight(size), size: size}
	p.rasterizer = vector.NewRasterizer(p.w, p.h)
	return p
}

func lineHeight(size int) int { return (size*lineHeightPercent + 99) / 100 }

func (p *canvas) draw(l line, left float32, number int) {
	base := float32(number*lineHeight(p.size) + p.size*ascent/100)
	for i, w := range l.words {
		for _, g := range w.glyphs {
			p.drawGlyph(g, left+l.at[i]+g.x, base-g.y)
		}
	}
}

// drawGlyph draws a glyph's outline from its origin.
func (p *canvas) drawGlyph(g glyph, x, y float32) {
	shape, ok := g.face.GlyphDataOutline(g.id)
	if !ok {
		return
	}
	scale := float32(p.size) / float32(g.face.Upem())
	at := func(q opentype.SegmentPoint) (float32, float32) { return x + q.X*scale, y - q.Y*scale }
	for _, s := range shape.Segments {
		ax, ay := at(s.Args[0])
		bx, by := at(s.Args[1])
		cx, cy := at(s.Args[2])
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			p.rasterizer.ClosePath()
			p.rasterizer.MoveTo(ax, ay)
		case opentype.SegmentOpLineTo:
			p.rasterizer.LineTo(ax, ay)
		case opentype.SegmentOpQuadTo:
			p.rasterizer.QuadTo(ax, ay, bx, by)
		case opentype.SegmentOpCubeTo:
			p.rasterizer.CubeTo(ax, ay, bx, by, cx, cy)
		}
	}
	p.rasterizer.ClosePath()
}

func (p *canvas) bitmap() *escpos.Bitmap {
	m := escpos.NewBitmap(p.w, p.h)
	grey := image.NewAlpha(image.Rect(0, 0, p.w, p.h))
	p.rasterizer.DrawOp = draw.Src
	p.rasterizer.Draw(grey, grey.Bounds(), image.Opaque, image.Point{})
	for y := range p.h {
		for x := range p.w {
			if grey.AlphaAt(x, y).A >= inkThreshold {
				m.Set(x, y)
			}
		}
	}
	return m
}
