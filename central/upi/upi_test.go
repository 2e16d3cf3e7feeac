package upi

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	qrcode "github.com/skip2/go-qrcode"

	"galla/shared/money"
)

func payee(t testing.TB, addr, name, mcc string) Payee {
	t.Helper()
	p, err := NewPayee(addr, name, mcc)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLinks: byte for byte, as domain.md has them.
func TestLinks(t *testing.T) {
	lakshmi := payee(t, "gal0000001@galla", "Lakshmi Kirana Store", "")
	for _, tt := range []struct {
		name string
		to   Payee
		pay  Payment
		want string
	}{
		{"dynamic", lakshmi, Payment{"A-1", 100}, "upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=A-1&tn=Order%20A-1&am=1.00&cu=INR"},
		{"one paisa", lakshmi, Payment{"A-1", 1}, "upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=A-1&tn=Order%20A-1&am=0.01&cu=INR"},
		{"static", lakshmi, Payment{Order: "A-1"}, "upi://pay?ver=01&mode=01&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tn=Order%20A-1&cu=INR"},
		{"an order that is no reference", lakshmi, Payment{"बिल 17/₹", 100},
			"upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=" + Reference("बिल 17/₹") + "&tn=Order%20%E0%A4%AC%E0%A4%BF%E0%A4%B2%2017%2F%E2%82%B9&am=1.00&cu=INR"},
		{"address and category", payee(t, "lakshmi.store@okbank", "L", "5411"), Payment{"A_1.b", 1234560},
			"upi://pay?ver=01&mode=15&pa=lakshmi.store@okbank&pn=L&mc=5411&tr=A_1.b&tn=Order%20A_1.b&am=12345.60&cu=INR"},
		{"a name of all signs", payee(t, "a@b", "D'Souza & Söhne + =%#? ल", ""), Payment{Order: "1"},
			"upi://pay?ver=01&mode=01&pa=a@b&pn=D%27Souza%20%26%20S%C3%B6hne%20%2B%20%3D%25%23%3F%20%E0%A4%B2&mc=0000&tn=Order%201&cu=INR"},
	} {
		if got := Link(tt.to, tt.pay); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestPayees(t *testing.T) {
	long := strings.Repeat("a", maxAddress-2)
	for _, tt := range []struct {
		address, name, category string
		want                    error
	}{
		{"gal0000001@galla", "L", "", nil}, {"a.b-c_d@ok2", "L", "0000", nil}, {"123@HDFC0000001.ifsc.npci", "L", "5411", nil}, {long + "@b", "L", "", nil},
		{"", "L", "", ErrAddress}, {"@galla", "L", "", ErrAddress}, {"gal0000001@", "L", "", ErrAddress}, {"gal", "L", "", ErrAddress}, {"a@b@c", "L", "", ErrAddress},
		{"a b@c", "L", "", ErrAddress}, {"a&am=1@c", "L", "", ErrAddress}, {"a@c\n", "L", "", ErrAddress}, {"ä@c", "L", "", ErrAddress}, {long + "a@b", "L", "", ErrAddress},
		{"a@b", "", "", ErrName}, {"a@b", " \t", "", ErrName},
		{"a@b", "L", "541", ErrCategory}, {"a@b", "L", "54111", ErrCategory}, {"a@b", "L", "541x", ErrCategory}, {"a@b", "L", "5411\n", ErrCategory},
	} {
		p, err := NewPayee(tt.address, tt.name, tt.category)
		if !errors.Is(err, tt.want) || (tt.want == nil) != (err == nil) {
			t.Errorf("%q %q %q: %v, want %v", tt.address, tt.name, tt.category, err, tt.want)
		}
		if (err != nil) != (p == Payee{}) {
			t.Errorf("%q: payee %+v beside %v", tt.address, p, err)
		}
	}
	if _, err := NewPayee("", "", "x"); !errors.Is(err, ErrAddress) || !errors.Is(err, ErrName) || !errors.Is(err, ErrCategory) {
		t.Errorf("not everything that is wrong is told: %v", err)
	}
	if got := payee(t, AddressOf("GAL0000001", "galla"), " "+strings.Repeat("अ", 200), ""); got.Address != "gal0000001@galla" || got.Name != strings.Repeat("अ", maxName) || got.Category != NoCategory {
		t.Errorf("payee is %+v", got)
	}
}

// TestReferences: an order id that can be a transaction reference is one; of any
// other there is one short form, and others have others.
func TestReferences(t *testing.T) {
	for _, order := range []string{"A-1", "INV-2026.11_21", strings.Repeat("x", 35)} {
		if got := Reference(order); got != order {
			t.Errorf("the reference of %s is %s", order, got)
		}
	}
	seen := map[string]string{}
	for _, order := range []string{strings.Repeat("x", 36), strings.Repeat("x", 37), "a b", "a/b", " a", "a ", "अ", "a&am=1", "₹", strings.Repeat("अ", 64), ""} {
		got := Reference(order)
		if !reference.MatchString(got) || got != Reference(order) || seen[got] != "" {
			t.Errorf("the reference of %q is %s, which %q has", order, got, seen[got])
		}
		seen[got] = "the order " + order
	}
	if got, want := Reference("a b"), "order-"; !strings.HasPrefix(got, want) || len(got) != 30 {
		t.Errorf("short form %s", got)
	}
}

func TestCut(t *testing.T) {
	for text, want := range map[string]string{"": "", "ab": "ab", "abc": "abc", "abcd": "abc", "अआइई": "अआइ"} {
		if got := cut(text, 3); got != want {
			t.Errorf("%q is cut to %q", text, got)
		}
	}
}

// TestPicture reads the picture pixel by pixel: it is the code of the link, with
// a quiet zone around it. The largest payment has a code, too.
func TestPicture(t *testing.T) {
	largest := payee(t, strings.Repeat("a", maxAddress-2)+"@b", strings.Repeat("अ", maxName), "5411")
	for _, link := range []string{
		Link(payee(t, "a@b", "L", ""), Payment{Order: "1"}),
		Link(largest, Payment{strings.Repeat("x", 35), money.Max}),
		Link(largest, Payment{strings.Repeat("😀", 64), money.Max}),
	} {
		uri, err := Picture(link)
		if err != nil {
			t.Fatal(err)
		}
		encoded, ok := strings.CutPrefix(uri, "data:image/png;base64,")
		file, err := base64.StdEncoding.DecodeString(encoded)
		if !ok || err != nil {
			t.Fatalf("%.40s: %v", uri, err)
		}
		picture, err := png.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		code, err := qrcode.New(link, qrcode.Medium)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, picture, code.Bitmap())
	}
	if _, err := Picture(strings.Repeat("x", 4000)); err == nil {
		t.Error("a link that no code holds was drawn")
	}
}

func compare(t *testing.T, picture image.Image, modules [][]bool) {
	t.Helper()
	if b := picture.Bounds(); b.Dx() != len(modules)*modulePixels || b.Dy() != b.Dx() {
		t.Fatalf("the picture is %v for %d modules", b, len(modules))
	}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			level, _ := color.GrayModel.Convert(picture.At(x, y)).(color.Gray)
			dark := modules[y/modulePixels][x/modulePixels]
			if (level.Y == 0) != dark || (level.Y == 255) == dark {
				t.Fatalf("the pixel at %d, %d has level %d; dark is %v", x, y, level.Y, dark)
			}
		}
	}
	for i := range modules {
		for quiet := range 4 {
			if modules[quiet][i] || modules[i][quiet] {
				t.Fatal("there is no quiet zone of four modules")
			}
		}
	}
}

// FuzzLink: whatever stands in the texts, a link has its own parameters, each
// once, and they read back as they were.
func FuzzLink(f *testing.F) {
	f.Add("gal0000001@galla", "Lakshmi Kirana Store", "5411", "A-1", int64(100))
	f.Add("a@b", "D'Souza & Söhne + =%#? ल&am=1", "", "x&tr=2", int64(0))
	f.Add("a@b", "%26am%3d1\x00\n\xff", "", "%", int64(-5))
	f.Fuzz(func(t *testing.T, addr, name, mcc, order string, amount int64) {
		to, err := NewPayee(addr, name, mcc)
		if err != nil {
			return
		}
		p := Payment{order, money.Paise(amount)}
		u, err := url.Parse(Link(to, p))
		if err != nil || u.Scheme != "upi" || u.Host != "pay" || u.Path != "" || u.Fragment != "" {
			t.Fatalf("%+v %+v: %v, %v", to, p, u, err)
		}
		q, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"ver": "01", "mode": "01", "pa": to.Address, "pn": to.Name, "mc": to.Category, "tn": cut("Order "+order, maxNote), "cu": "INR"}
		if p.Dynamic() {
			want["mode"], want["tr"], want["am"] = "15", Reference(order), p.Amount.String()
		}
		if len(q) != len(want) || strings.Contains(u.RawQuery, "+") {
			t.Fatalf("the link is %s", u)
		}
		for name, value := range want {
			if len(q[name]) != 1 || q[name][0] != value {
				t.Fatalf("%s is %q, want %q", name, q[name], value)
			}
		}
		if utf8.RuneCountInString(q.Get("tn")) > maxNote || utf8.RuneCountInString(q.Get("pn")) > maxName {
			t.Fatalf("a text is over its bound: %s", u)
		}
	})
}
