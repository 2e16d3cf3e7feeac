package receipt

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/printing/escpos"
	"galla/edge/printing/raster"
	"galla/shared/theme"
)

func setter(t *testing.T) *raster.Typesetter {
	t.Helper()
	s, err := raster.New()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func reprint() Copy {
	return Copy{Number: 2, At: time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)}
}

func TestSlipBytes(t *testing.T) {
	set := setter(t)
	r := cases()["withdrawal-succeeded"]
	hindi := with(r, func(r *edge.Record) { r.Customer = "शिवशंकर चौधरी" })
	for name, c := range map[string]struct {
		r     edge.Record
		paper Paper
		copy  Copy
	}{
		"slip-32":        {r, Paper{Columns: Narrow}, Copy{}},
		"slip-48-again":  {r, Paper{Columns: Wide, DrawQR: true}, reprint()},
		"slip-32-hindi":  {hindi, Paper{Columns: Narrow}, Copy{}},
		"slip-48-hindi2": {hindi, Paper{Columns: Wide}, reprint()},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New(c.r, shop(), english()).Slip(c.paper, c.copy, set)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+".escpos")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes differ from the %d of %s", len(got), len(want), path)
			}
		})
	}
}

func TestSlipMarks(t *testing.T) {
	r := New(cases()["withdrawal-succeeded"], shop(), english())
	for c, want := range map[Copy]int{{}: 0, reprint(): 2} {
		got, err := r.Slip(Paper{Columns: Narrow}, c, setter(t))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(got, []byte("DUPLICATE 2, 22 Nov 2026, 09:30:00")); n != want {
			t.Errorf("marked %d times, want %d", n, want)
		}
		if !bytes.Contains(got, []byte("1P0AEPS-4711\x1d")) {
			t.Error("no QR code of the reference")
		}
		if !bytes.Contains(got, []byte("XXXXXXXX7058")) {
			t.Error("no masked number")
		}
	}
}

// An unanswered operation has no reference of the bank; the slip has its id.
func TestSlipOfAPendingOperation(t *testing.T) {
	r := New(cases()["withdrawal-unknown"], shop(), english())
	if r.Reference != "01a1fda3-6789-76b2-bddd-9b2e2a564f1a" {
		t.Errorf("reference %q", r.Reference)
	}
}

// TestDrawing: page and paper have the same picture.
func TestDrawing(t *testing.T) {
	drawing, err := theme.QRDrawing("AEPS-4711", "")
	if err != nil {
		t.Fatal(err)
	}
	want, err := escpos.QRBitmap("AEPS-4711", 1)
	if err != nil {
		t.Fatal(err)
	}
	got := escpos.NewBitmap(want.Width, want.Height)
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-`).FindAllStringSubmatch(string(drawing), -1) {
		var n [3]int
		for i := range n {
			if n[i], err = strconv.Atoi(m[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		for x := range n[2] {
			got.Set(n[0]+x, n[1])
		}
	}
	for y := range want.Height {
		for x := range want.Width {
			if got.Black(x, y) != want.Black(x, y) {
				t.Fatalf("the module at %d, %d differs", x, y)
			}
		}
	}
	if strings.Contains(string(drawing), "4711") {
		t.Error("the text stands in the drawing")
	}
}

func TestTestPage(t *testing.T) {
	for _, columns := range []int{Narrow, Wide} {
		b, err := TestPage(Paper{Columns: columns}, "Epson \x1b TM-T82", reprint().At, setter(t))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(b, []byte("Epson TM-T82\n")) || !bytes.HasSuffix(b, []byte{0x1d, 'V', 66, 0}) {
			t.Errorf("%d columns: %d bytes", columns, len(b))
		}
	}
}

func BenchmarkSlipInHindi(b *testing.B) {
	set, err := raster.New()
	if err != nil {
		b.Fatal(err)
	}
	r := New(with(cases()["withdrawal-succeeded"], func(r *edge.Record) { r.Customer = "शिवशंकर चौधरी" }), shop(), english())
	for b.Loop() {
		if _, err := r.Slip(Paper{Columns: Wide}, Copy{}, set); err != nil {
			b.Fatal(err)
		}
	}
}
