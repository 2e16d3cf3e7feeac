package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"galla/central"

	"galla/shared/op"
)

// qrStore has merchants of all kinds of names and addresses.
type qrStore struct {
	*fakeStore
	change func(*central.Merchant)
}

func (s *qrStore) Merchant(ctx context.Context, id central.MerchantID) (central.Merchant, error) {
	m, err := s.fakeStore.Merchant(ctx, id)
	if s.change != nil {
		s.change(&m)
	}
	return m, err
}

func newQRFixture(t testing.TB, change func(*central.Merchant), cfg ...func(*Config)) (*fixture, *qrStore) {
	t.Helper()
	b := newFixture(t)
	s := &qrStore{fakeStore: b.store, change: change}
	c := config(b.log)
	for _, alter := range cfg {
		alter(&c)
	}
	d, err := New(b.executor, b.registry, s, b.store, nil, c)
	if err != nil {
		t.Fatal(err)
	}
	b.Handler = d
	return b, s
}

// qr reads a reply of GenerateQR.
func qr(t testing.TB, r central.Reply) (data map[string]any, link string) {
	t.Helper()
	data = expect(t, r, 200, "00").fields()
	link, ok := data["upiLink"].(string)
	if !ok {
		t.Fatalf("no link: %s", r.Body)
	}
	return data, link
}

// picturePart is what the golden replies have in the place of the picture,
// whose bytes are the compressor's.
var picturePart = regexp.MustCompile(`"data:image/png;base64,[A-Za-z0-9+/]+=*"`)

func TestGoldenQR(t *testing.T) {
	b, _ := newQRFixture(t, func(m *central.Merchant) { m.VPA, m.MCC = "lakshmi@galla", "5411" })
	for name, text := range map[string]string{
		"upi-dynamic": `{"amount":1,"order_id":"INV-2026.11_21"}`, "upi-static": `{"order_id":"counter-1"}`,
		"upi-text": `{"amount":2,"order_id":" बिल 17/₹ "}`, "upi-fields": `{"amount":"1"}`,
	} {
		r := b.call(merchant1, op.GenerateQR, text)
		r.Body = picturePart.ReplaceAll(r.Body, []byte(`"(picture)"`))
		golden(t, name, r)
	}
}

// TestQRLinks: the links of NPCI's specification, byte for byte.
func TestQRLinks(t *testing.T) {
	tests := []struct {
		name, body, want string
		change           func(*central.Merchant)
	}{
		{"dynamic", `{"amount":1,"order_id":"A-1"}`, "upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=A-1&tn=Order%20A-1&am=1.00&cu=INR", nil},
		{"one paisa", `{"amount":0.01,"order_id":"A-1"}`, "upi://pay?ver=01&mode=15&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tr=A-1&tn=Order%20A-1&am=0.01&cu=INR", nil},
		{"static", `{"order_id":"A-1"}`, "upi://pay?ver=01&mode=01&pa=gal0000001@galla&pn=Lakshmi%20Kirana%20Store&mc=0000&tn=Order%20A-1&cu=INR", nil},
		{"its own address and category", `{"amount":12345.6,"order_id":"A_1.b"}`,
			"upi://pay?ver=01&mode=15&pa=lakshmi.store@okbank&pn=L&mc=5411&tr=A_1.b&tn=Order%20A_1.b&am=12345.60&cu=INR",
			func(m *central.Merchant) { m.VPA, m.MCC, m.LegalName = "lakshmi.store@okbank", "5411", "L" }},
		{"a name of all signs", `{"order_id":"1"}`, "upi://pay?ver=01&mode=01&pa=gal0000001@galla&pn=D%27Souza%20%26%20S%C3%B6hne%20%2B%20%3D%25%23%3F%20%E0%A4%B2&mc=0000&tn=Order%201&cu=INR",
			func(m *central.Merchant) { m.LegalName = "D'Souza & Söhne + =%#? ल" }},
	}
	for _, tt := range tests {
		b, _ := newQRFixture(t, tt.change)
		data, link := qr(t, b.call(merchant1, op.GenerateQR, tt.body))
		if link != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, link, tt.want)
		}
		u, err := url.Parse(link)
		if err != nil || u.Scheme != "upi" || u.Host != "pay" {
			t.Fatalf("%s: %v", link, err)
		}
		if q := u.Query(); q.Get("pa") != data["vpa"] || q.Get("pn") != data["payeeName"] || (q.Get("tr") != "" && q.Get("tr") != upiReference(data["order_id"].(string))) {
			t.Errorf("%s: the link and the data differ: %v", tt.name, data)
		}
	}
}

// TestQRData: type and amount; 0 and an absent amount are static.
func TestQRData(t *testing.T) {
	for text, want := range map[string]struct {
		kind   string
		amount string
	}{
		`{"order_id":"x"}`: {"STATIC", "0"}, `{"order_id":"x","amount":0}`: {"STATIC", "0"}, `{"order_id":"x","amount":0.00}`: {"STATIC", "0"},
		`{"order_id":"x","amount":-0}`: {"STATIC", "0"}, `{"order_id":"x","amount":1}`: {"DYNAMIC", "1"},
		`{"order_id":"x","amount":250.50}`: {"DYNAMIC", "250.5"}, `{"order_id":"x","amount":1e2}`: {"DYNAMIC", "100"}, `{"order_id":"x","amount":0e9}`: {"STATIC", "0"}, `{"order_id":"x","amount":1000000000}`: {"DYNAMIC", "1000000000"},
	} {
		b, _ := newQRFixture(t, nil)
		r := b.call(merchant1, op.GenerateQR, text)
		data, _ := qr(t, r)
		if data["type"] != want.kind || !bytes.Contains(r.Body, []byte(`"amount":`+want.amount+`,`)) || len(data) != 7 || r.State != "" {
			t.Errorf("%s: %s", text, picturePart.ReplaceAll(r.Body, nil))
		}
	}
}

func TestQRFields(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`: {"order_id required"}, `{"order_id":""}`: {"order_id required"}, `{"order_id":17}`: {"order_id type"},
		`{"order_id":"` + strings.Repeat("x", 65) + `"}`: {"order_id text"}, `{"order_id":"a\n"}`: {"order_id text"}, `{"order_id":"a\u0000"}`: {"order_id text"},
		`{"order_id":"x","amount":-1}`: {"amount negative"}, `{"order_id":"x","amount":-0.01}`: {"amount negative"}, `{"order_id":"x","amount":1.001}`: {"amount decimals"},
		`{"order_id":"x","amount":1e-3}`: {"amount decimals"}, `{"order_id":"x","amount":1e10}`: {"amount range"}, `{"order_id":"x","amount":1000000000.01}`: {"amount range"},
		`{"order_id":"x","amount":null}`: {"amount type"}, `{"amount":"1"}`: {"amount type", "order_id required"},
		`{"order_id":"x","order_id":"y"}`: {"body duplicate"}, `{`: {"body json"}, `[]`: {"body object"}, "{\"order_id\":\"\xff\"}": {"body utf8"},
	} {
		b, _ := newQRFixture(t, nil)
		r := b.call(merchant1, op.GenerateQR, text)
		if got := wrongFields(t, r); r.HTTP != 400 || !slices.Equal(got, want) {
			t.Errorf("%q: HTTP %d %v, want %v", text, r.HTTP, got, want)
		}
	}
}

// TestQRIsForMerchantsOnly: anyone else is refused before the body is read,
// however broken or large it is.
func TestQRIsForMerchantsOnly(t *testing.T) {
	b, _ := newQRFixture(t, nil)
	for _, p := range []central.Principal{vendor1, {Role: op.Aggregator}, {}} {
		for _, text := range []string{`{"order_id":"x"}`, `{broken`, "\xff", "", strings.Repeat("x", 2<<20)} {
			if out := expect(t, b.call(p, op.GenerateQR, text), 403, "01"); out.Message != "Access denied" || out.Data != nil {
				t.Errorf("%+v", out)
			}
		}
	}
	expect(t, b.call(terminal1, op.GenerateQR, `{"order_id":"x"}`), 200, "00")
	expect(t, b.call(central.Principal{Role: op.Merchant, Merchant: m4}, op.GenerateQR, `{"order_id":"x"}`), 422, "05")
	// A merchant that is not onboarded for AEPS may be paid by UPI.
	expect(t, b.call(central.Principal{Role: op.Merchant, Merchant: m2}, op.GenerateQR, `{"order_id":"x"}`), 200, "00")
}

// TestQRIsTheMerchantsOwn: another merchant's id in the body changes nothing.
func TestQRIsTheMerchantsOwn(t *testing.T) {
	b, _ := newQRFixture(t, func(m *central.Merchant) { m.VPA = string(m.ID[:8]) + string(m.ID[35]) + "@galla" })
	for _, id := range []central.MerchantID{m1, m3} {
		data, _ := qr(t, b.call(merchant1, op.GenerateQR, `{"merchantId":"`+string(id)+`","order_id":"x","amount":5}`))
		if data["vpa"] != "c00000001@galla" {
			t.Errorf("%s: %v", id, data["vpa"])
		}
	}
}

// TestOrders: an order id is any text and comes back as it came; a repeat makes
// the same code, another amount another one, and nothing ever conflicts.
func TestOrders(t *testing.T) {
	b, _ := newQRFixture(t, nil)
	orders := []string{"x", "A-1", "17", "a b", " a ", "a/b?c=d&am=1", "बिल १७", "₹", "nsdl", "NSDL", `"quoted"`, strings.Repeat("x", 36), strings.Repeat("अ", 64), strings.Repeat("😀", 64)}
	references := map[string]string{}
	for _, order := range orders {
		name, err := json.Marshal(order)
		if err != nil {
			t.Fatal(err)
		}
		ask := func(amount string) central.Reply {
			t.Helper()
			r := b.call(merchant1, op.GenerateQR, `{"order_id":`+string(name)+`,"amount":`+amount+`}`)
			data, link := qr(t, r)
			u, err := url.Parse(link)
			if err != nil || data["order_id"] != order || u.Query().Get("am") != amount {
				t.Errorf("order %q: %v, %s, %v", order, data["order_id"], link, err)
				return r
			}
			tr := u.Query().Get("tr")
			if !regexp.MustCompile(`^[A-Za-z0-9._-]{1,35}$`).MatchString(tr) || references[tr] != "" && references[tr] != order {
				t.Errorf("order %q has the reference %q, which is that of %q", order, tr, references[tr])
			}
			references[tr] = order
			return r
		}
		first := ask("5.00")
		if again := ask("5.00"); !bytes.Equal(first.Body, again.Body) {
			t.Errorf("the repeat of %q differs: %s", order, again.Body)
		}
		if other := ask("5.01"); bytes.Equal(first.Body, other.Body) {
			t.Errorf("order %q: another amount has the same code", order)
		}
	}
	if len(references) != len(orders) {
		t.Errorf("%d orders have %d references", len(orders), len(references))
	}
	if b.executor.count+len(b.executor.consulted) != 0 {
		t.Error("the executor was called")
	}
}

// TestPayeeAddresses: without an address of its own a merchant has one of its
// MID and the handle; without those there is nothing to pay to.
func TestPayeeAddresses(t *testing.T) {
	noHandle := func(c *Config) { c.UPIHandle = "" }
	b, _ := newQRFixture(t, func(m *central.Merchant) { m.VPA = "Lakshmi@okbank" }, noHandle)
	if data, _ := qr(t, b.call(merchant1, op.GenerateQR, `{"order_id":"x"}`)); data["vpa"] != "Lakshmi@okbank" {
		t.Errorf("address is %v", data["vpa"])
	}
	b, _ = newQRFixture(t, nil, noHandle)
	if expect(t, b.call(merchant1, op.GenerateQR, `{"order_id":"x"}`), 500, "500"); !strings.Contains(b.log.String(), "UPI address must be") {
		t.Errorf("the log does not say why: %s", b.log)
	}
	b, _ = newQRFixture(t, func(m *central.Merchant) { m.MID = "" })
	expect(t, b.call(merchant1, op.GenerateQR, `{"order_id":"x"}`), 500, "500")
}

// TestLongTexts: names and notes keep the specification's bounds, in whole
// characters, and the largest link still has a code.
func TestLongTexts(t *testing.T) {
	b, _ := newQRFixture(t, func(m *central.Merchant) { m.LegalName = strings.Repeat("अ", 200) })
	order := strings.Repeat("x", 35)
	data, link := qr(t, b.call(merchant1, op.GenerateQR, `{"order_id":"`+order+`","amount":1000000000}`))
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	if q := u.Query(); q.Get("pn") != strings.Repeat("अ", 99) || q.Get("pn") != data["payeeName"] || q.Get("tn") != "Order "+order || q.Get("tr") != order {
		t.Errorf("%v", q)
	}
}

// TestImageIsThePictureOfTheLink: of no other.
func TestImageIsThePictureOfTheLink(t *testing.T) {
	b, _ := newQRFixture(t, nil)
	for _, text := range []string{`{"order_id":"A-1"}`, `{"order_id":"A-1","amount":999999.99}`} {
		data, link := qr(t, b.call(merchant1, op.GenerateQR, text))
		if want, err := qrPicture(link); err != nil || data["image"] != want {
			t.Errorf("%s: the image is another one; %v", text, err)
		}
	}
}
