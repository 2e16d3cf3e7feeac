package uitest

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// heldTimers replaces the timers of a page that wait for ten seconds and more: they wait
// for the test's clock.
const heldTimers = `(() => {
	const set = window.setTimeout.bind(window), clear = window.clearTimeout.bind(window), held = new Map();
	let now = 0, last = 0;
	window.setTimeout = (run, wait, ...rest) => {
		if (!(wait >= 10000)) return set(run, wait, ...rest);
		held.set(--last, {at: now + wait, run});
		return last;
	};
	window.clearTimeout = (id) => held.delete(id) || clear(id);
	window.advanceClock = (by) => {
		now += by;
		for (const [id, timer] of [...held]) if (timer.at <= now && held.delete(id)) timer.run();
	};
})()`

// HoldClock gives the pages that are opened from now on the test's clock: their long timers
// run by AdvanceClock alone.
func (b *Browser) HoldClock() {
	b.T.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: heldTimers})
		return err
	}))
}

// AdvanceClock moves the page's clock (HoldClock).
func (b *Browser) AdvanceClock(by time.Duration) {
	b.T.Helper()
	Eval[any](b, fmt.Sprintf(`void advanceClock(%d)`, by.Milliseconds()))
}
