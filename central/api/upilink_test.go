package api

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

	"galla/shared/money"
	"galla/shared/theme"
)

func testPayee(t testing.TB, addr, name, mcc string) upiPayee {
	t.Helper()
	p, err := newUPIPayee(addr, name, mcc)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestUPILinks: byte for byte, as domain.md has them.
func TestUPILinks(t *testing.T) {
	lakshmi := testPayee(t, "gal0000001@galla", "Lakshmi Kirana Store", "")
	for _, tt := range []struct {
		name string
		to   upiPayee
		pay  upiPayment
		want string
	}{
		{"dynamic", lakshmi, upiPayment{"A-1", 100}, "upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=A-1&tn=Order%20A-1&am=1.00&cu=INR"},
		{"one paisa", lakshmi, upiPayment{"A-1", 1}, "upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=A-1&tn=Order%20A-1&am=0.01&cu=INR"},
		{"static", lakshmi, upiPayment{Order: "A-1"}, "upi://pay?ver=01&mode=01&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tn=Order%20A-1&cu=INR"},
		{"an order that is no reference", lakshmi, upiPayment{"बिल 17/₹", 100},
			"upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=" + upiReference("बिल 17/₹") + "&tn=Order%20%E0%A4%AC%E0%A4%BF%E0%A4%B2%2017%2F%E2%82%B9&am=1.00&cu=INR"},
		{"address and category", testPayee(t, "lakshmi.store@okbank", "L", "5411"), upiPayment{"A_1.b", 1234560},
			"upi://pay?ver=01&mode=15&pa=lakshmi.store@okbank&pn=L&mc=5411&tr=A_1.b&tn=Order%20A_1.b&am=12345.60&cu=INR"},
		{"a name of all signs", testPayee(t, "a@b", "D'Souza & Söhne + =%#? ल", ""), upiPayment{Order: "1"},
			"upi://pay?ver=01&mode=01&pa=a@b&pn=D%27Souza%20%26%20S%C3%B6hne%20%2B%20%3D%25%23%3F%20%E0%A4%B2&mc=0000&tn=Order%201&cu=INR"},
	} {
		if got := upiLink(tt.to, tt.pay); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestUPIPayees(t *testing.T) {
	long := strings.Repeat("a", maxVPA-2)
	for _, tt := range []struct {
		address, name, category string
		want                    error
	}{
		{"gal0000001@galla", "L", "", nil}, {"a.b-c_d@ok2", "L", "0000", nil}, {"123@HDFC0000001.ifsc.npci", "L", "5411", nil}, {long + "@b", "L", "", nil},
		{"", "L", "", errVPA}, {"@galla", "L", "", errVPA}, {"gal0000001@", "L", "", errVPA}, {"gal", "L", "", errVPA}, {"a@b@c", "L", "", errVPA},
		{"a b@c", "L", "", errVPA}, {"a&am=1@c", "L", "", errVPA}, {"a@c\n", "L", "", errVPA}, {"ä@c", "L", "", errVPA}, {long + "a@b", "L", "", errVPA},
		{"a@b", "", "", errPayeeName}, {"a@b", " \t", "", errPayeeName},
		{"a@b", "L", "541", errMCC}, {"a@b", "L", "54111", errMCC}, {"a@b", "L", "541x", errMCC}, {"a@b", "L", "5411\n", errMCC},
	} {
		p, err := newUPIPayee(tt.address, tt.name, tt.category)
		if !errors.Is(err, tt.want) || (tt.want == nil) != (err == nil) {
			t.Errorf("%q %q %q: %v, want %v", tt.address, tt.name, tt.category, err, tt.want)
		}
		if (err != nil) != (p == upiPayee{}) {
			t.Errorf("%q: payee %+v beside %v", tt.address, p, err)
		}
	}
	if _, err := newUPIPayee("", "", "x"); !errors.Is(err, errVPA) || !errors.Is(err, errPayeeName) || !errors.Is(err, errMCC) {
		t.Errorf("not every error is reported: %v", err)
	}
	if got := testPayee(t, defaultVPA("GAL0000001", "galla"), " "+strings.Repeat("अ", 200), ""); got.Address != "gal0000001@galla" || got.Name != strings.Repeat("अ", maxPayeeName) || got.Category != noMCC {
		t.Errorf("payee is %+v", got)
	}
}

// TestUPIReferences: an order id that can be a transaction reference is one; of any
// other there is one short form, and others have others.
func TestUPIReferences(t *testing.T) {
	for _, order := range []string{"A-1", "INV-2026.11_21", strings.Repeat("x", 35)} {
		if got := upiReference(order); got != order {
			t.Errorf("the reference of %s is %s", order, got)
		}
	}
	seen := map[string]string{}
	for _, order := range []string{strings.Repeat("x", 36), strings.Repeat("x", 37), "a b", "a/b", " a", "a ", "अ", "a&am=1", "₹", strings.Repeat("अ", 64), ""} {
		got := upiReference(order)
		if !upiReferencePattern.MatchString(got) || got != upiReference(order) || seen[got] != "" {
			t.Errorf("the reference of %q is %s, which %q has", order, got, seen[got])
		}
		seen[got] = "the order " + order
	}
	if got, want := upiReference("a b"), "order-"; !strings.HasPrefix(got, want) || len(got) != 30 {
		t.Errorf("short form %s", got)
	}
}

func TestTruncate(t *testing.T) {
	for text, want := range map[string]string{"": "", "ab": "ab", "abc": "abc", "abcd": "abc", "अआइई": "अआइ"} {
		if got := truncate(text, 3); got != want {
			t.Errorf("%q is cut to %q", text, got)
		}
	}
}

// TestQRPicture reads the picture pixel by pixel: it is the code of the link, with
// a quiet zone around it. The largest payment has a code, too.
func TestQRPicture(t *testing.T) {
	largest := testPayee(t, strings.Repeat("a", maxVPA-2)+"@b", strings.Repeat("अ", maxPayeeName), "5411")
	for _, link := range []string{
		upiLink(testPayee(t, "a@b", "L", ""), upiPayment{Order: "1"}),
		upiLink(largest, upiPayment{strings.Repeat("x", 35), money.Max}),
		upiLink(largest, upiPayment{strings.Repeat("😀", 64), money.Max}),
	} {
		uri, err := qrPicture(link)
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
		modules, err := theme.QRModules(link)
		if err != nil {
			t.Fatal(err)
		}
		comparePicture(t, picture, modules)
	}
	if _, err := qrPicture(strings.Repeat("x", 4000)); err == nil {
		t.Error("a link that no code holds was drawn")
	}
}

func comparePicture(t *testing.T, picture image.Image, modules [][]bool) {
	t.Helper()
	if b := picture.Bounds(); b.Dx() != len(modules)*qrModulePixels || b.Dy() != b.Dx() {
		t.Fatalf("the picture is %v for %d modules", b, len(modules))
	}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			level, _ := color.GrayModel.Convert(picture.At(x, y)).(color.Gray)
			dark := modules[y/qrModulePixels][x/qrModulePixels]
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

// FuzzUPILink: whatever stands in the texts, a link has its own parameters, each
// once, and they read back as they were.
func FuzzUPILink(f *testing.F) {
	f.Add("gal0000001@galla", "Lakshmi Kirana Store", "5411", "A-1", int64(100))
	f.Add("a@b", "D'Souza & Söhne + =%#? ल&am=1", "", "x&tr=2", int64(0))
	f.Add("a@b", "%26am%3d1\x00\n\xff", "", "%", int64(-5))
	f.Fuzz(func(t *testing.T, addr, name, mcc, order string, amount int64) {
		to, err := newUPIPayee(addr, name, mcc)
		if err != nil {
			return
		}
		p := upiPayment{order, money.Paise(amount)}
		u, err := url.Parse(upiLink(to, p))
		if err != nil || u.Scheme != "upi" || u.Host != "pay" || u.Path != "" || u.Fragment != "" {
			t.Fatalf("%+v %+v: %v, %v", to, p, u, err)
		}
		q, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"ver": "01", "mode": "01", "pa": to.Address, "pn": to.Name, "mc": to.Category, "tn": truncate("Order "+order, maxUPINote), "cu": "INR"}
		if p.Dynamic() {
			want["mode"], want["tr"], want["am"] = "15", upiReference(order), p.Amount.String()
		}
		if len(q) != len(want) || strings.Contains(u.RawQuery, "+") {
			t.Fatalf("the link is %s", u)
		}
		for name, value := range want {
			if len(q[name]) != 1 || q[name][0] != value {
				t.Fatalf("%s is %q, want %q", name, q[name], value)
			}
		}
		if utf8.RuneCountInString(q.Get("tn")) > maxUPINote || utf8.RuneCountInString(q.Get("pn")) > maxPayeeName {
			t.Fatalf("a text is over its bound: %s", u)
		}
	})
}
