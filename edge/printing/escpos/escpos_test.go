package escpos

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

func TestCommands(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(d *Document)
		want string
	}{
		"nothing":  {func(*Document) {}, ""},
		"line":     {func(d *Document) { d.Line("Cash ₹500") }, "436173682052732e3530300a"},
		"accent":   {func(d *Document) { d.Line("é½") }, "82ab0a"},
		"commands": {func(d *Document) { d.Line("a\x1b@\x10\x04b\u009bc") }, "61204020206220630a"},
		"hindi":    {func(d *Document) { d.Line("नमस्ते") }, "3f3f3f3f3f3f0a"},
		"bold":     {func(d *Document) { d.Bold(true); d.Bold(false) }, "1b45011b4500"},
		"centre":   {func(d *Document) { d.Align(Centre) }, "1b6101"},
		"feed":     {func(d *Document) { d.Feed(3); d.Feed(0); d.Feed(999) }, "1b64031b64ff"},
		"cut":      {func(d *Document) { d.Cut() }, "1d564200"},
		"qr": {func(d *Document) { _ = d.QR("AB", 6) },
			"1d286b0400314132001d286b03003143061d286b03003145311d286b050031503041421d286b0300315130"},
		"raster": {func(d *Document) {
			m := NewBitmap(10, 2)
			m.Set(0, 0)
			m.Set(9, 1)
			m.Set(10, 1) // outside
			_ = d.Raster(m)
		}, "1d76300002000200" + "80000040"},
	} {
		t.Run(name, func(t *testing.T) {
			d := New()
			c.do(d)
			if got := hex.EncodeToString(d.Bytes()); got != "1b401b7400"+c.want {
				t.Errorf("got %s, want 1b401b7400%s", got, c.want)
			}
		})
	}
}

func TestPage(t *testing.T) {
	for s, want := range map[string]bool{"₹ 500": true, "é": true, "आ": false, "a\n": false, "\u0085": false, "€": false, "": true} {
		if got := Printable(s); got != want {
			t.Errorf("%q: printable %v, want %v", s, got, want)
		}
	}
	if got := encode("Ç₹é€\x1b\u00a0"); !bytes.Equal(got, []byte("\x80Rs.\x82? \xff")) {
		t.Errorf("written as %x", got)
	}
}

func TestRasterIsCutIntoBands(t *testing.T) {
	d := New()
	if err := d.Raster(NewBitmap(Dots80, 300)); err != nil {
		t.Fatal(err)
	}
	head := []byte{0x1d, 'v', '0', 0, 72, 0}
	if got := bytes.Count(d.Bytes(), head); got != 3 {
		t.Errorf("300 rows are %d bands, want 3", got)
	}
	if got, want := len(d.Bytes()), 5+3*8+300*72; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

func TestBounds(t *testing.T) {
	d := New()
	before := len(d.Bytes())
	for name, err := range map[string]error{
		"wide": d.Raster(NewBitmap(Dots80+1, 1)), "high": d.Raster(NewBitmap(8, maxRows+1)),
		"QR": d.QR(strings.Repeat("x", maxQR+1), 4),
	} {
		if !errors.Is(err, ErrTooLong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"no raster": d.Raster(NewBitmap(0, 3)), "no text": d.QR("", 4), "no module": d.QR("x", 0), "great module": d.QR("x", 17),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if len(d.Bytes()) != before {
		t.Error("what was refused stands in the document")
	}
}

func TestQRBitmap(t *testing.T) {
	m, err := QRBitmap("AEPS-4711", 4)
	if err != nil {
		t.Fatal(err)
	}
	quiet := 4 * 4
	if m.Width != m.Height || m.Width != (21+8)*4 {
		t.Errorf("%d × %d dots", m.Width, m.Height)
	}
	if m.Black(quiet-1, quiet) || !m.Black(quiet, quiet) {
		t.Error("the first square does not stand after the quiet zone")
	}
}

func TestStatus(t *testing.T) {
	for name, c := range map[string]struct {
		q    Query
		b    byte
		want Status
		err  error
	}{
		"ready":        {AskPrinter, 0x12, Status{}, nil},
		"offline":      {AskPrinter, 0x1a, Status{Offline: true}, nil},
		"cover":        {AskOffline, 0x16, Status{CoverOpen: true}, nil},
		"stopped":      {AskOffline, 0x32, Status{PaperOut: true}, nil},
		"fault":        {AskOffline, 0x52, Status{Fault: true}, nil},
		"paper low":    {AskPaper, 0x1e, Status{PaperLow: true}, nil},
		"paper out":    {AskPaper, 0x7e, Status{PaperOut: true, PaperLow: true}, nil},
		"garbage":      {AskPrinter, 0xff, Status{}, ErrNoStatus},
		"nothing":      {AskPaper, 0x00, Status{}, ErrNoStatus},
		"flow control": {AskPrinter, 0x13, Status{}, ErrNoStatus},
	} {
		t.Run(name, func(t *testing.T) {
			var s Status
			if err := s.Read(c.q, c.b); !errors.Is(err, c.err) || s != c.want {
				t.Errorf("%+v, %v; want %+v, %v", s, err, c.want, c.err)
			}
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add("नमस्ते ₹5 \x1b@")
	f.Fuzz(func(t *testing.T, s string) {
		for _, b := range encode(s) {
			if b < ' ' || b == 0x7f {
				t.Fatalf("%q: control byte %#x passes to the printer", s, b)
			}
		}
	})
}
