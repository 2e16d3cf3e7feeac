package theme

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// quietZone is the light border that readers need, in modules.
const quietZone = 4

// QRModules returns the modules of a text's QR code, row by row, true for dark: with
// medium error correction, which a worn sticker needs, and a quiet zone of four
// modules. It fails for a text that no code holds (over two thousand bytes).
func QRModules(text string) ([][]bool, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil, fmt.Errorf("QR code of %d bytes can't be drawn", len(text)) // the library's error quotes the text
	}
	size := code.Bounds().Dx()
	rows := make([][]bool, size+2*quietZone)
	for y := range rows {
		rows[y] = make([]bool, len(rows))
	}
	for y := range size {
		for x := range size {
			r, _, _, _ := code.At(x, y).RGBA()
			rows[y+quietZone][x+quietZone] = r == 0
		}
	}
	return rows, nil
}

// QRDrawing draws a text's QR code as SVG of class qr, which is sharp on paper of any
// size. label is its text for screen readers; empty: they skip it.
func QRDrawing(text, label string) (template.HTML, error) {
	rows, err := QRModules(text)
	if err != nil {
		return "", err
	}
	role := `aria-hidden="true"`
	if label != "" {
		role = `role="img" aria-label="` + html.EscapeString(label) + `"`
	}
	var path strings.Builder
	for y, row := range rows {
		for x := 0; x < len(row); x++ {
			from := x
			for x < len(row) && row[x] {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from, y, x-from, x-from)
			}
		}
	}
	// Only numbers and fixed text: nothing of the coded text is in it.
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges" %[2]s><rect width="%[1]d" height="%[1]d" fill="#fff"/><path d="%[3]s" fill="#000"/></svg>`,
		len(rows), role, path.String())), nil
}
