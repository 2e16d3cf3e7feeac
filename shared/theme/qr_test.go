package theme

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestQRModules reads each code back with a reader of its own, which knows nothing of
// the library: a quiet zone, the format's level, the mask, and the text.
func TestQRModules(t *testing.T) {
	for _, text := range []string{
		"A", "otpauth://totp/Galla:asha?secret=JBSWY3DPEHPK3PXP&issuer=Galla",
		"upi://pay?ver=01&mode=15&pa=lakshmi@okbank&pn=Lakshmi%20Kirana%20Store&mc=5411&tr=A-1&tn=Order%20A-1&am=500.00&cu=INR",
		strings.Repeat("upi://pay?pa=", 30), "नमस्ते", strings.Repeat("x", 660),
	} {
		rows, err := QRModules(text)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := readQR(rows); err != nil || read != text {
			t.Errorf("%.40q reads as %.40q: %v", text, read, err)
		}
	}
	if rows, err := QRModules(strings.Repeat("secret ", 600)); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a text that no code holds: %d rows, %v", len(rows), err)
	}
}

// TestQRDrawing: the drawing has the dark modules, and nothing of the text.
func TestQRDrawing(t *testing.T) {
	const text = "<key>"
	rows, err := QRModules(text)
	if err != nil {
		t.Fatal(err)
	}
	drawing, err := QRDrawing(text, `the "key"`)
	if err != nil {
		t.Fatal(err)
	}
	drawn := make([][]bool, len(rows))
	for y := range drawn {
		drawn[y] = make([]bool, len(rows))
	}
	_, path, _ := strings.Cut(string(drawing), `<path d="`)
	path, _, _ = strings.Cut(path, `"`)
	for piece := range strings.SplitSeq(strings.TrimSuffix(path, "z"), "z") {
		var x, y, width, back int
		if _, err := fmt.Sscanf(piece, "M%d %dh%dv1h-%d", &x, &y, &width, &back); err != nil || width != back {
			t.Fatalf("a piece of the path is %q: %v", piece, err)
		}
		for i := range width {
			drawn[y][x+i] = true
		}
	}
	for y := range rows {
		if !slices.Equal(rows[y], drawn[y]) {
			t.Errorf("row %d is drawn as %v, want %v", y, drawn[y], rows[y])
		}
	}
	if !strings.Contains(string(drawing), `role="img" aria-label="the &#34;key&#34;"`) || strings.Contains(string(drawing), "key>") {
		t.Errorf("the drawing is labelled wrongly, or quotes its text: %s", drawing)
	}
	if hidden, err := QRDrawing(text, ""); err != nil || !strings.Contains(string(hidden), `aria-hidden="true"`) {
		t.Errorf("without a label: %s, %v", hidden, err)
	}
}

// blocksM are the data blocks of versions 1 to 20 at level M (ISO/IEC 18004, table 9):
// how many of the shorter size, that size in bytes, and how many of one byte more.
var blocksM = [][3]int{
	{}, {1, 16, 0}, {1, 28, 0}, {1, 44, 0}, {2, 32, 0}, {2, 43, 0}, {4, 27, 0}, {4, 31, 0}, {2, 38, 2}, {3, 36, 2}, {4, 43, 1},
	{1, 50, 4}, {6, 36, 2}, {8, 37, 1}, {4, 40, 5}, {5, 41, 5}, {7, 45, 3}, {10, 46, 1}, {9, 43, 4}, {3, 44, 11}, {3, 41, 13},
}

// readQR reads a code that has no damaged module.
func readQR(rows [][]bool) (string, error) {
	size := len(rows) - 2*quietZone
	for i := range rows {
		for quiet := range quietZone {
			if rows[quiet][i] || rows[i][quiet] || rows[len(rows)-1-quiet][i] || rows[i][len(rows)-1-quiet] {
				return "", fmt.Errorf("there is no quiet zone of %d modules", quietZone)
			}
		}
	}
	version := (size - 17) / 4
	if version < 1 || version >= len(blocksM) || size != 17+4*version {
		return "", fmt.Errorf("%d modules are no version that this reader knows", size)
	}
	at := func(x, y int) bool { return rows[y+quietZone][x+quietZone] }
	format := 0 // the five bits of level and mask, in row 8
	for x := range 5 {
		format <<= 1
		if at(x, 8) {
			format |= 1
		}
	}
	format ^= 0b10101
	if format>>3 != 0 {
		return "", fmt.Errorf("the level is %02b, want 00, which is medium", format>>3)
	}
	return readText(version, readBytes(version, func(x, y int) bool { return at(x, y) != masked(format&7, x, y) }))
}

// masked tells whether a mask inverts a module (table 10).
func masked(mask, x, y int) bool {
	switch mask {
	case 0:
		return (x+y)%2 == 0
	case 1:
		return y%2 == 0
	case 2:
		return x%3 == 0
	case 3:
		return (x+y)%3 == 0
	case 4:
		return (y/2+x/3)%2 == 0
	case 5:
		return x*y%2+x*y%3 == 0
	case 6:
		return (x*y%2+x*y%3)%2 == 0
	default:
		return ((x+y)%2+x*y%3)%2 == 0
	}
}

// isFunction tells whether a module belongs to no data: finders, timing, alignment,
// format and version.
func isFunction(version, x, y int) bool {
	size := 17 + 4*version
	if x == 6 || y == 6 || x <= 8 && y <= 8 || x >= size-8 && y <= 8 || x <= 8 && y >= size-8 {
		return true
	}
	if version >= 7 && (y < 6 && x >= size-11 || x < 6 && y >= size-11) {
		return true
	}
	if version == 1 {
		return false
	}
	count := version/7 + 2
	step := (version*4 + count*2 + 1) / (count*2 - 2) * 2
	centres := []int{6}
	for i := count - 2; i >= 0; i-- {
		centres = append(centres, size-7-i*step)
	}
	for i, cy := range centres {
		for j, cx := range centres {
			last := len(centres) - 1
			corner := i == 0 && j == 0 || i == 0 && j == last || i == last && j == 0
			if !corner && max(x-cx, cx-x) <= 2 && max(y-cy, cy-y) <= 2 {
				return true
			}
		}
	}
	return false
}

// readBytes reads the data modules in their order: pairs of columns from the right,
// upwards and downwards in turn, without column 6.
func readBytes(version int, dark func(x, y int) bool) (out []byte) {
	size, bits, current := 17+4*version, 0, byte(0)
	upwards := true
	for right := size - 1; right > 0; right -= 2 {
		if right == 6 {
			right--
		}
		for i := range size {
			y := i
			if upwards {
				y = size - 1 - i
			}
			for x := right; x >= right-1; x-- {
				if isFunction(version, x, y) {
					continue
				}
				current <<= 1
				if dark(x, y) {
					current |= 1
				}
				if bits++; bits%8 == 0 {
					out, current = append(out, current), 0
				}
			}
		}
		upwards = !upwards
	}
	return out
}

// readText puts the blocks in order and reads their first segment.
func readText(version int, codewords []byte) (string, error) {
	short, length, long := blocksM[version][0], blocksM[version][1], blocksM[version][2]
	blocks := make([][]byte, short+long)
	for column := range length + 1 {
		for b := range blocks {
			if column < length || b >= short {
				blocks[b] = append(blocks[b], codewords[0])
				codewords = codewords[1:]
			}
		}
	}
	var stream strings.Builder
	for _, b := range slices.Concat(blocks...) {
		fmt.Fprintf(&stream, "%08b", b)
	}
	bits := stream.String()
	number := func(n int) (v int) {
		for _, c := range bits[:n] {
			v = v<<1 | int(c-'0')
		}
		bits = bits[n:]
		return v
	}
	switch mode := number(4); mode {
	case 0b0100: // bytes
		width := 8
		if version >= 10 {
			width = 16
		}
		text := make([]byte, number(width))
		for i := range text {
			text[i] = byte(number(8))
		}
		return string(text), nil
	case 0b0010: // alphanumeric; one character only, which is all that is tested
		width := 9
		if version >= 10 {
			width = 11
		}
		if n := number(width); n != 1 {
			return "", fmt.Errorf("%d alphanumeric characters", n)
		}
		return string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"[number(6)]), nil
	default:
		return "", fmt.Errorf("the mode is %04b", mode)
	}
}
