package simbank_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	. "galla/central/bank/simbank"
	"galla/central/bank/simbank/books"
	"galla/edge/ui/uitest"
)

// TestChromiumPhone pays from the phone's page, at a desk and on a phone.
func TestChromiumPhone(t *testing.T) {
	chromium := uitest.Chromium(t)
	cfg, _, _ := NewTestConfig(t)
	b := Open(t, cfg)
	public := httptest.NewServer(b.PublicHandler())
	t.Cleanup(public.Close)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		for name, test := range map[string]func(*testing.T, *Bank, *uitest.Browser){"pasted": pasted, "static": static, "camera": seen} {
			t.Run(fmt.Sprintf("%s %d", name, size[0]), func(t *testing.T) { test(t, b, uitest.Open(t, chromium, public.URL, size[0], size[1])) })
		}
	}
	t.Run("other pages", func(t *testing.T) { otherPages(t, chromium, public.URL) })
}

// looks checks the present page, at day and at night.
func looks(b *uitest.Browser, name string) {
	b.T.Helper()
	b.Check(name)
	b.SetDark(true)
	b.Check(name + "-dark")
	b.SetDark(false)
}

// fill types into a field.
func fill(b *uitest.Browser, selector, text string) {
	b.T.Helper()
	uitest.Eval[any](b, fmt.Sprintf(`void (document.querySelector(%[1]q).focus(), document.querySelector(%[1]q).select())`, selector))
	b.Press(text)
}

// press presses the page's main button.
func press(b *uitest.Browser) {
	b.T.Helper()
	uitest.Eval[any](b, `void document.querySelector("main button.main").click()`)
}

// pasted reads a dynamic link that was pasted, after one that is none, and pays it.
func pasted(t *testing.T, bank *Bank, b *uitest.Browser) {
	b.Navigate("/phone")
	looks(b, "phone")
	fill(b, "#link", "upi://pay?am=1")
	press(b)
	b.WaitFor(`document.querySelector("#link-wrong")?.innerText.includes("must have pa")`)
	looks(b, "phone-wrong")
	fill(b, "#link", strings.Replace(dynamicLink, "order-17", "order-"+b.Size, 2))
	press(b)
	b.WaitFor(`document.querySelector("h2")?.innerText === "Pay Lakshmi Kirana Store" && document.querySelector(".sum").innerText === "₹250.00"`)
	looks(b, "phone-dynamic")
	fill(b, "#payer", "Ramesh Kumar")
	press(b)
	b.WaitFor(`document.querySelector(".paid")?.innerText.replace(/\s+/g, " ") === "Paid ₹250.00"`)
	looks(b, "phone-paid")
	id := uitest.Eval[string](b, `document.querySelector("#id").innerText`)
	found, err := bank.Payments(t.Context(), books.Filter{Reference: id})
	if err != nil || len(found) != 1 || found[0].Amount != 250_00 || found[0].TR != "order-"+b.Size || found[0].PayerName != "R••••h K•••r" {
		t.Errorf("%+v, %v", found, err)
	}
	uitest.Eval[any](b, `void location.reload()`)
	b.WaitFor(`document.querySelector(".paid")`)
	if all, err := bank.Payments(t.Context(), books.Filter{Reference: found[0].TR}); err != nil || len(all) != 1 {
		t.Errorf("after a reload: %+v, %v", all, err)
	}
	if _, err := bank.RefundUPI(t.Context(), id, Notice{Never: true}); err != nil {
		t.Fatal(err)
	}
	b.Navigate("/phone/paid/" + id)
	b.WaitFor(`document.querySelector(".paid.back")?.innerText.startsWith("Refunded")`)
	looks(b, "phone-refunded")
}

// static asks for the amount of a code that has none.
func static(_ *testing.T, _ *Bank, b *uitest.Browser) {
	b.Navigate("/phone?upiLink=" + url.QueryEscape(staticLink))
	looks(b, "phone-static")
	fill(b, "#amount", "0")
	press(b)
	b.WaitFor(`document.querySelector("#amount-wrong")`)
	looks(b, "phone-static-wrong")
	fill(b, "#amount", "12.5")
	press(b)
	b.WaitFor(`document.querySelector(".paid")?.innerText.includes("₹12.50")`)
}

// seen plays a camera before which a code comes at the second look, and a camera that is
// not there.
func seen(t *testing.T, _ *Bank, b *uitest.Browser) {
	b.Navigate("/phone")
	b.WaitFor(`document.readyState === "complete"`)
	// The page's own policy holds for what the script does; only the device is played.
	uitest.Eval[any](b, `(async () => {
		let looks = 0;
		window.stopped = 0;
		window.BarcodeDetector = class {
			static async getSupportedFormats() { return ["qr_code"]; }
			async detect() { return ++looks < 2 ? [] : [{rawValue: "https://example.com"}, {rawValue: `+fmt.Sprintf("%q", dynamicLink)+`}]; }
		};
		window.refused = true;
		Object.defineProperty(navigator, "mediaDevices", {configurable: true, value: {getUserMedia: async () => {
			if (window.refused) throw new DOMException("no", "NotAllowedError");
			const canvas = document.createElement("canvas");
			canvas.getContext("2d");
			const stream = canvas.captureStream(5), [track] = stream.getTracks(), end = track.stop.bind(track);
			track.stop = () => { window.stopped++; end(); };
			return stream;
		}}});
		await import("/phone.js?played");
	})()`)
	b.WaitFor(`!document.querySelector("#camera").hidden`)
	uitest.Eval[any](b, `void document.querySelector("#scan").click()`)
	b.WaitFor(`document.querySelector("#no-code").innerText.includes("not available") && document.querySelector("#view").hidden`)
	for _, fault := range append(b.Faults(), b.AccessibilityViolations()...) {
		if !strings.HasPrefix(fault, "it jumped") { // the camera's part is shown late, by the test
			t.Error(fault)
		}
	}
	uitest.Eval[any](b, `void (window.refused = false, document.querySelector("#scan").click())`)
	b.WaitFor(`document.querySelector("h2")?.innerText === "Pay Lakshmi Kirana Store"`)
}

// otherPages looks at the bank's other pages, which have the same styles.
func otherPages(t *testing.T, chromium context.Context, base string) {
	for _, width := range []int64{1366, 360} {
		b := uitest.Open(t, chromium, base, width, 740)
		for _, path := range []string{"/", "/books", "/books/payments"} {
			b.Navigate(path)
			for _, dark := range []bool{false, true} {
				b.SetDark(dark)
				b.Check("bank" + path)
			}
			b.SetDark(false)
		}
	}
}
