package upi

import (
	"net/url"
	"strings"
	"testing"

	"galla/shared/money"
)

func TestParseLink(t *testing.T) {
	long := strings.Repeat("x", 36)
	for _, c := range []struct {
		link string
		want Link
		bad  string // a word of the error; empty: it is read
	}{
		{"upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=A-1&tn=Order%20A-1&am=1.00&cu=INR",
			Link{"gal0000001@galla", "Lakshmi Kirana Store", "A-1", "Order A-1", 100}, ""},
		{"upi://pay?ver=01&mode=01&pa=gal0000001@galla&pn=L&mc=0000&tn=Order%20A-1&cu=INR", Link{"gal0000001@galla", "L", "", "Order A-1", 0}, ""},
		{"upi://pay?pa=a@b", Link{Payee: "a@b"}, ""},
		{"upi://pay?PA=a%40b&am=12345.6", Link{Payee: "a@b", Amount: 12345_60}, ""},
		{"upi://pay?pa=a@b&pn=D%27Souza%20%26%20S%C3%B6hne+x&sign=abc=", Link{Payee: "a@b", Name: "D'Souza & Söhne+x"}, ""},
		{"", Link{}, "must be a link"},
		{"UPI://pay?pa=a@b", Link{}, "must be a link"},
		{"https://pay?pa=a@b", Link{}, "must be a link"},
		{" upi://pay?pa=a@b", Link{}, "must be a link"},
		{"upi://pay?pa=a@b&tn=" + strings.Repeat("x", 2048), Link{}, "must be a link"},
		{"upi://pay?", Link{}, "readable name"},
		{"upi://pay?pa=a@b&", Link{}, "readable name"},
		{"upi://pay?pa=a@b&%61m=1", Link{}, "readable name"},
		{"upi://pay?am=1", Link{}, "must have pa"},
		{"upi://pay?pa=shop", Link{}, "must have pa"},
		{"upi://pay?pa=a@b@c", Link{}, "must have pa"},
		{"upi://pay?pa=a%20a@b", Link{}, "must have pa"},
		{"upi://pay?pa=a@b&pa=a@c", Link{}, "pa twice"},
		{"upi://pay?pa=a@b&PA=a@c", Link{}, "pa twice"},
		{"upi://pay?pa=a@b&am=1&Am=2", Link{}, "am twice"},
		{"upi://pay?pa=a@b&am=", Link{}, "am without a value"},
		{"upi://pay?pa=a@b&am", Link{}, "am without a value"},
		{"upi://pay?pa=a@b&am=0", Link{}, "am that is no amount"},
		{"upi://pay?pa=a@b&am=-1", Link{}, "am that is no amount"},
		{"upi://pay?pa=a@b&am=1e2", Link{}, "am that is no amount"},
		{"upi://pay?pa=a@b&am=1.001", Link{}, "am that is no amount"},
		{"upi://pay?pa=a@b&am=1,000", Link{}, "am that is no amount"},
		{"upi://pay?pa=a@b&cu=USD", Link{}, "cu that"},
		{"upi://pay?pa=a@b&tr=a%20b", Link{}, "tr that"},
		{"upi://pay?pa=a@b&tr=" + long, Link{}, "tr that"},
		{"upi://pay?pa=a@b&pn=" + strings.Repeat("x", 100), Link{}, "pn that"},
		{"upi://pay?pa=a@b&tn=" + strings.Repeat("x", 81), Link{}, "tn that"},
		{"upi://pay?pa=a@b&tn=%zz", Link{}, "tn that is not properly escaped"},
		{"upi://pay?pa=a@b&tn=x#y", Link{}, "tn that is not properly escaped"},
		{"upi://pay?pa=a@b&tn=%ff", Link{}, "tn that is no readable text"},
		{"upi://pay?pa=a@b&tn=%0a", Link{}, "tn that is no readable text"},
	} {
		got, err := ParseLink(c.link)
		if got != c.want || (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%s: %+v, %v; want %+v, %q", c.link, got, err, c.want, c.bad)
		}
	}
}

func FuzzParseLink(f *testing.F) {
	for _, s := range []string{
		"upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=A-1&tn=Order%20A-1&am=1.00&cu=INR",
		"upi://pay?pa=a@b&am=1&AM=2", "upi://pay?pa=%E0%A4%B2@b&tn=%", "upi://pay?&&==",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ParseLink(text)
		if err != nil {
			if l != (Link{}) || len(err.Error()) > 200 {
				t.Fatalf("%q: %+v beside %v", text, l, err)
			}
			return
		}
		if !ValidVPA(l.Payee) || l.TR != "" && !ValidTR(l.TR) || l.Amount < 0 || l.Amount > money.Max {
			t.Fatalf("%q is read as %+v", text, l)
		}
		// What was read says the same when it is written plainly.
		q := url.Values{}
		for name, value := range map[string]string{"pa": l.Payee, "pn": l.Name, "tr": l.TR, "tn": l.Note} {
			if value != "" {
				q.Set(name, value)
			}
		}
		if l.Amount > 0 {
			q.Set("am", l.Amount.String())
		}
		plain := linkStart + strings.ReplaceAll(q.Encode(), "+", "%20")
		if len(plain) > maxLink {
			return
		}
		if again, err := ParseLink(plain); err != nil || again != l {
			t.Fatalf("%q is %+v, and %q is %+v, %v", text, l, plain, again, err)
		}
	})
}

func TestMasks(t *testing.T) {
	for name, want := range map[string]string{
		"Ramesh Kumar": "R••••h K•••r", "Asha": "A••a", "Raj": "R••", "Jo": "J•", "A": "•", " A  B C": "• • •", "रमेश": "र••श", "कुमारी": "क•••••", "O'Neil": "O••••l",
	} {
		if got := MaskName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for vpa, want := range map[string]string{
		"ramesh.k@okbank": "ra••••@okbank", "ram@okbank": "r••••@okbank", "ra@okbank": "••••@okbank", "r@okbank": "••••@okbank", "9000000001@ybl": "90••••@ybl",
	} {
		if got := MaskVPA(vpa); got != want {
			t.Errorf("%s: %s, want %s", vpa, got, want)
		}
	}
}
