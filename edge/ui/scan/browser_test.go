package scan

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/aadhaarqr"
	"galla/edge/aadhaarqr/qrtest"
	"galla/edge/i18n"
	"galla/edge/ui"
	"galla/edge/ui/aeps"
	"galla/edge/ui/uitest"
	"galla/shared/money"
	"galla/shared/op"
)

// counter is a counter at which forms are filled in; nothing is sent.
type counter struct {
	uitest.NoPayments
	aeps.Counter
	ui ui.Counter
}

func (c counter) Status() edge.Status                  { return c.ui.Status() }
func (c counter) Subscribe() (<-chan struct{}, func()) { return c.ui.Subscribe() }
func (c counter) Revision() uint64                     { return c.ui.Revision() }
func (c counter) Banks() ([]edge.Bank, time.Time) {
	return []edge.Bank{{IIN: "607094", Name: "State Bank of India"}}, uitest.Now()
}
func (c counter) Recent(op.ID, int) ([]edge.View, error) { return nil, nil }
func (c counter) Unfinished() ([]edge.View, error)       { return nil, nil }
func (c counter) Bounds(op.RouteID) edge.Bounds {
	return edge.Bounds{Min: 50 * money.Rupee, Max: 10_000 * money.Rupee}
}

// openForm opens the form of a withdrawal, with certificates.
func openForm(t *testing.T, chromium context.Context, certificates []byte, width, height int64, language string) *uitest.Browser {
	t.Helper()
	b := openAt(t, chromium, certificates, width, height)
	enterForm(b, language)
	return b
}

func enterForm(b *uitest.Browser, language string) {
	b.T.Helper()
	b.Navigate("/enter?to=/new/withdrawal&language=" + language)
	b.WaitForFocus("#aadhaar")
}

// openAt opens a tab of a counter, with certificates.
func openAt(t *testing.T, chromium context.Context, certificates []byte, width, height int64) *uitest.Browser {
	t.Helper()
	reader, err := aadhaarqr.New(certificates)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(reader)
	if err != nil {
		t.Fatal(err)
	}
	c := counter{ui: uitest.NewCounter()}
	forms, err := aeps.New(c, aeps.Config{Receipt: func(edge.Record, *i18n.Localizer) aeps.ReceiptView { return aeps.ReceiptView{} }, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := uitest.Serve(t, c, forms, s)
	return uitest.Open(t, chromium, h.Base, width, height)
}

// scans types a code as a scanner does, with Enter.
func scans(b *uitest.Browser, text string) {
	b.T.Helper()
	b.Press(text + kb.Enter)
	b.WaitFor(`document.querySelector("#scan-result")?.innerText`)
}

// looks checks the present page, without loading it again as Check may: what was scanned is
// in this page only. A result comes after the page, so it moves what is below.
func looks(b *uitest.Browser, name string, barriers bool) {
	b.T.Helper()
	faults := slices.DeleteFunc(b.Faults(), func(fault string) bool { return strings.HasPrefix(fault, "it jumped") })
	if barriers {
		faults = append(faults, b.AccessibilityViolations()...)
	}
	for _, fault := range faults {
		b.T.Errorf("%s: %s", name, fault)
	}
	folder := os.Getenv("GALLA_SHOTS")
	if folder == "" {
		return
	}
	png, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, b.Size+"-"+name+".png"), png, 0o644)
	}
	if err != nil {
		b.T.Fatal(err)
	}
}

// value is what a field shows.
func value(b *uitest.Browser, selector string) string {
	return uitest.Eval[string](b, fmt.Sprintf(`document.querySelector(%q).value`, selector))
}

func result(b *uitest.Browser) string {
	return uitest.Eval[string](b, `document.querySelector("#scan-result").className + ": " + document.querySelector("#scan-result").innerText`)
}

// leftovers are traces of a code outside the request: in a field, the address, the history's
// state, storage or the page's text.
const leftovers = `(code => [location.href, JSON.stringify(history.state), JSON.stringify(navigation?.currentEntry?.getState() ?? ""), JSON.stringify(localStorage), JSON.stringify(sessionStorage),
	document.documentElement.outerHTML, ...[...document.querySelectorAll("input, textarea, select")].map(e => e.value)].some(s => s.includes(code)))`

func TestChromium(t *testing.T) {
	chromium := uitest.Chromium(t)
	uidai := newSigner(t)
	text, err := uidai.Secure(qrtest.Holder{Version: "V2", Name: "Asha Kulkarni", Last: "7058", Photo: []byte("\xff\x4f")})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("secure", func(t *testing.T) { scanSecure(t, chromium, uidai, text) })
	t.Run("older", func(t *testing.T) { scanOlder(t, chromium) })
	t.Run("elsewhere", func(t *testing.T) { scanElsewhere(t, chromium, uidai, text) })
	t.Run("typed", func(t *testing.T) { typed(t, chromium) })
	t.Run("camera", func(t *testing.T) { camera(t, chromium, uidai, text) })
	t.Run("languages", func(t *testing.T) {
		t.Parallel()
		for _, l := range i18n.Languages() {
			everyResult(t, chromium, l.Code, uidai, text)
		}
	})
}

// scanSecure: a secure QR fills the name, says the last digits, and another number is
// refused.
func scanSecure(t *testing.T, chromium context.Context, uidai *qrtest.Signer, text string) {
	t.Parallel()
	b := openForm(t, chromium, uidai.Certificate, 1366, 768, "en")
	scans(b, text)
	if got := result(b); !strings.HasPrefix(got, "good: From the card: Asha Kulkarni, number ending 7058.") || !strings.Contains(got, "signature is correct") || !strings.Contains(got, "Type all 12") {
		t.Error(got)
	}
	b.WaitForFocus("#aadhaar")
	if value(b, "#customer") != "Asha Kulkarni" || value(b, "#aadhaar") != "" {
		t.Errorf("%q, %q", value(b, "#customer"), value(b, "#aadhaar"))
	}
	if uitest.Eval[bool](b, leftovers+fmt.Sprintf(`(%q)`, text[:30])) {
		t.Error("a part of the code is still in the page")
	}
	looks(b, "scan-secure", true)
	b.Press("222222222222") // another number, with a right check digit
	b.WaitFor(`document.querySelector("#aadhaar-note").innerText.includes("does not end in 7058")`)
	uitest.Eval[any](b, `void document.querySelector("#aadhaar").focus()`)
	b.Press(strings.Repeat(kb.Backspace, 14), demo)
	b.WaitFor(`!document.querySelector("#aadhaar-note").innerText.includes("7058")`)
	uitest.Eval[any](b, `void document.querySelector(".scan-remove").click()`)
	b.WaitFor(`!document.querySelector(".scan-remove") && document.querySelector("#scan-result").innerText === "" && !document.querySelector("#aadhaar").dataset.ends`)
}

// scanOlder: the older code fills the number too, which is masked when the focus moves on.
func scanOlder(t *testing.T, chromium context.Context) {
	t.Parallel()
	b := openForm(t, chromium, nil, 360, 740, "hi")
	scans(b, strings.Replace(qrtest.XML(demo, "Asha Kulkarni"), "?><", "?>"+kb.Enter+"<", 1))
	b.WaitFor(`document.querySelector("#aadhaar").value === "XXXX XXXX 7058"`)
	if value(b, "#customer") != "Asha Kulkarni" {
		t.Errorf("%q", value(b, "#customer"))
	}
	if uitest.Eval[bool](b, leftovers+`("`+demo+`")`) || uitest.Eval[bool](b, leftovers+`("PrintLetter")`) {
		t.Error("the number or the code is in the page")
	}
	if sent := uitest.Eval[string](b, `new FormData(document.querySelector("#aadhaar").form).get("aadhaar")`); sent != demo {
		t.Error("the form sends another number")
	}
	looks(b, "scan-older", true)
}

// scanElsewhere: a scan while another field has the focus leaves that field as it was, and
// neither sends the form nor follows a shortcut. A second Enter belongs to it.
func scanElsewhere(t *testing.T, chromium context.Context, uidai *qrtest.Signer, text string) {
	t.Parallel()
	b := openForm(t, chromium, uidai.Certificate, 1366, 768, "en")
	for selector, before := range map[string]string{"#customer": "Usha", "#amount": "500", "#iin": "", "#customer-language": "en", "button.main": "", "#consent": "yes"} {
		uitest.Eval[any](b, fmt.Sprintf(`void (document.querySelector("#scan-result").replaceChildren(), document.querySelector(%q).focus())`, selector))
		if selector == "#customer" || selector == "#amount" {
			uitest.Eval[any](b, fmt.Sprintf(`void document.querySelector(%q).select()`, selector))
			b.Press(before)
			b.WaitFor(fmt.Sprintf(`document.querySelector(%q).value === %q`, selector, before))
			uitest.Eval[any](b, `new Promise(r => setTimeout(r, 600))`) // longer than a scanner pauses
		}
		b.Press(text+kb.Enter, kb.Enter)
		b.WaitFor(`document.querySelector("#scan-result")?.innerText`)
		if got := value(b, selector); selector != "#customer" && got != before {
			t.Errorf("%s: %q", selector, got)
		}
		if value(b, "#customer") != "Asha Kulkarni" || value(b, "#aadhaar") != "" || uitest.Eval[string](b, `location.pathname`) != "/new/withdrawal" {
			t.Errorf("%s: %q, %q", selector, value(b, "#customer"), value(b, "#aadhaar"))
		}
		if uitest.Eval[bool](b, `!!document.querySelector("form[data-sent], [aria-invalid]")`) {
			t.Errorf("%s: the scan sent the form", selector)
		}
	}
}

// pastes gives a code as scanners do that paste.
func pastes(t *testing.T, b *uitest.Browser, text string) {
	t.Helper()
	code, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	uitest.Eval[any](b, `void (d => { d.setData("text/plain", `+string(code)+`);
		document.querySelector("#customer").dispatchEvent(new ClipboardEvent("paste", {clipboardData: d, bubbles: true, cancelable: true})); })(new DataTransfer())`)
}

// typed: what a person types or pastes is no scan, and a pasted code is one.
func typed(t *testing.T, chromium context.Context) {
	t.Parallel()
	b := openForm(t, chromium, nil, 1366, 768, "en")
	b.Press(demo)
	b.WaitFor(`document.querySelector("#aadhaar-note").innerText !== document.querySelector("#aadhaar-note").dataset.hint`)
	uitest.Eval[any](b, `void document.querySelector("#customer").focus()`)
	b.Press("Asha <3 2025 12345678901234567890")
	if got := value(b, "#customer"); got != "Asha <3 2025 12345678901234567890" {
		t.Errorf("%q", got)
	}
	if uitest.Eval[string](b, `document.querySelector("#scan-result").innerText`) != "" {
		t.Error(result(b))
	}
	pastes(t, b, qrtest.XML(demo, "Pasted Name"))
	b.WaitFor(`document.querySelector("#customer").value === "Pasted Name"`)
}

// fakeCamera gives every page a camera and a detector, which finds codes from the third look
// on, and counts what runs. The page's window.codes, window.denied change it.
const fakeCamera = `(() => {
	const w = window;
	w.codes = []; w.looks = 0; w.running = 0;
	w.BarcodeDetector = class {
		static async getSupportedFormats() { return ["qr_code"]; }
		async detect() { return ++w.looks < 3 ? [] : w.codes.map(rawValue => ({rawValue})); }
	};
	navigator.mediaDevices.getUserMedia = async () => {
		if (w.denied) throw new DOMException("denied", "NotAllowedError");
		const stream = document.createElement("canvas").captureStream();
		w.running++;
		const track = stream.getTracks()[0], stop = track.stop.bind(track);
		track.stop = () => { if (track.readyState === "live") w.running--; stop(); };
		return stream;
	};
})()`

// camera: the camera's part is there only where the browser finds codes; it fills the form,
// and the camera is stopped afterwards, by its button, by Escape and with the page.
func camera(t *testing.T, chromium context.Context, uidai *qrtest.Signer, text string) {
	t.Parallel()
	if b := openForm(t, chromium, uidai.Certificate, 360, 740, "en"); uitest.Eval[bool](b, `!!document.querySelector("#scan-camera")`) {
		t.Error("a browser without a detector offers the camera")
	}
	b := openAt(t, chromium, uidai.Certificate, 360, 740)
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: fakeCamera})
		return err
	}))
	codes, err := json.Marshal([]string{"upi://pay?pa=shop@bank", text})
	if err != nil {
		t.Fatal(err)
	}
	enterForm(b, "en")
	b.WaitFor(`document.querySelector("#scan-camera")`)
	b.Check("scan-camera-offered")
	press := func() {
		uitest.Eval[any](b, `void (c => { c.focus(); c.click(); })(document.querySelector("#scan-camera"))`)
	}
	uitest.Eval[any](b, `void (window.codes = `+string(codes)+`)`)
	press()
	b.WaitFor(`document.querySelector("#scan-result").innerText.includes("Asha Kulkarni") && document.querySelector("#scan-view").hidden && window.running === 0`)
	if value(b, "#customer") != "Asha Kulkarni" || uitest.Eval[int](b, `window.looks`) != 3 {
		t.Errorf("%q after %d looks", value(b, "#customer"), uitest.Eval[int](b, `window.looks`))
	}
	uitest.Eval[any](b, `void (window.codes = [])`)
	for _, way := range []struct {
		name string
		end  func()
	}{
		{"its button", press},
		{"Escape", func() { b.Press(kb.Escape) }},
		{"the page", func() {
			uitest.Eval[any](b, `void document.querySelector(".brand").click()`)
			b.WaitFor(`location.pathname === "/"`)
		}},
	} {
		uitest.Eval[any](b, `void (window.looks = 0)`)
		press()
		b.WaitFor(`window.running === 1 && !document.querySelector("#scan-view").hidden && window.looks > 0`)
		if way.name == "Escape" {
			looks(b, "scan-camera-on", true)
		}
		way.end()
		b.WaitFor(`window.running === 0`)
		if way.name != "the page" && uitest.Eval[string](b, `location.pathname`) != "/new/withdrawal" {
			t.Errorf("%s: the page was left", way.name)
		}
	}
	b.Navigate("/new/withdrawal") // a second login would lock the page that it leaves
	b.WaitFor(`document.querySelector("#scan-camera")`)
	uitest.Eval[any](b, `void (window.denied = true)`)
	press()
	b.WaitFor(`document.querySelector("#scan-result").innerText.includes("cannot be used") && document.querySelector("#scan-view").hidden`)
}

// everyResult shows each result on a phone, in a language.
func everyResult(t *testing.T, chromium context.Context, language string, uidai *qrtest.Signer, text string) {
	for name, c := range map[string]struct {
		certificates []byte
		text         string
		tone         string
	}{
		"unchecked": {nil, text, "warn"}, "forged": {newSigner(t).Certificate, text, "bad"}, "verified": {uidai.Certificate, text, "good"},
		"older": {nil, qrtest.XML(demo, "Asha Kulkarni"), "warn"}, "no card": {nil, "12345678901234567890123456", "bad"},
	} {
		b := openForm(t, chromium, c.certificates, 360, 740, language)
		pastes(t, b, c.text)
		b.WaitFor(`document.querySelector("#scan-result")?.innerText`)
		if got := result(b); !strings.HasPrefix(got, c.tone+": ") {
			t.Errorf("%s: %s", name, got)
		}
		looks(b, "scan-"+strings.ReplaceAll(name, " ", "-")+"-"+language, language == "en" || language == "hi")
	}
}
