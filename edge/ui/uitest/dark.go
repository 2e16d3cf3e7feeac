package uitest

import (
	"context"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Dark is the environment variable that opens all pages in dark colours, for pictures.
const Dark = "GALLA_DARK"

// SetDark sets the system's wish for dark or light pages.
func (b *Browser) SetDark(dark bool) {
	b.T.Helper()
	b.dark = dark
	b.emulateMedia()
}

// ReduceMotion sets the system's preference for reduced motion.
func (b *Browser) ReduceMotion() {
	b.T.Helper()
	b.reducedMotion = true
	b.emulateMedia()
}

// emulateMedia tells the page the system's wishes. The page stays as it is.
func (b *Browser) emulateMedia() {
	b.T.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "light"}}
	if b.dark {
		features[0].Value = "dark"
	}
	if b.reducedMotion {
		features = append(features, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
	}
	err := chromedp.Do(b.Ctx, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	})
	if err != nil {
		b.T.Fatalf("%s: set the system's wishes: %v", b.Size, err)
	}
}

// inOtherColours runs do while the system wishes dark pages, or light ones if it wishes
// dark ones now.
func (b *Browser) inOtherColours(do func() []string) (faults []string) {
	b.T.Helper()
	name := "dark: "
	if b.dark {
		name = "light: "
	}
	b.SetDark(!b.dark)
	defer func() { b.SetDark(!b.dark) }()
	for _, fault := range do() {
		faults = append(faults, name+fault)
	}
	return faults
}

// contrastFaults returns the texts with too little contrast. Contrast is WCAG's, over the
// colours behind a text, with their transparency.
const contrastFaults = `(() => {
	const faults = [];
	const shown = [...document.querySelectorAll("body *")].filter(e => e.checkVisibility({opacityProperty: true}) && !e.closest(".unseen, .skip, option"));
	const rgba = c => { const n = c.match(/[\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] ?? 1]; };
	const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3])).concat(1);
	const light = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	for (const e of shown) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		let layers = [], opacity = 1;
		for (let p = e; p; p = p.parentElement) {
			const s = getComputedStyle(p);
			opacity *= Number(s.opacity);
			layers.push(rgba(s.backgroundColor));
		}
		const back = layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
		const style = getComputedStyle(e), ink = rgba(style.color);
		ink[3] *= opacity;
		const [a, b] = [light(over(ink, back)), light(back)].sort((x, y) => y - x);
		const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < (large ? 3 : 4.5)) faults.push("contrast " + ratio.toFixed(2) + ": " + e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 40));
	}
	return faults;
})()`
