package aeps

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// attack is a page of another site in the browser in which the counter is unlocked. It
// frames the counter, submits a form, calls it by script, reads a page and listens for
// events; it returns what succeeded.
const attack = `<!doctype html><title>Win a scooter</title><body><script>
const base = %q, step = base + %q;
const frame = (name, src) => new Promise((loaded) => {
	const f = document.createElement('iframe');
	f.name = name;
	f.onload = loaded;
	if (src) f.src = src;
	document.body.append(f);
});
const tried = async (what, how) => { try { return what + ' ' + (await how()) } catch { return what + ' refused' } };
window.done = (async () => {
	await frame('framed', base + '/');
	await frame('target');
	const form = Object.assign(document.createElement('form'), {method: 'post', action: step, target: 'target'});
	form.append(Object.assign(document.createElement('input'), {name: 'csrf', value: 'guessed'}));
	document.body.append(form);
	const answered = new Promise((loaded) => { document.querySelector('[name=target]').onload = loaded; });
	form.submit();
	await answered;
	const body = new URLSearchParams({csrf: 'guessed'});
	return Promise.all([
		tried('read', async () => (await fetch(base + '/', {credentials: 'include'})).status),
		tried('pressed', async () => (await fetch(step, {method: 'POST', credentials: 'include', body})).status),
		tried('pressed blindly', async () => { await fetch(step, {method: 'POST', mode: 'no-cors', credentials: 'include', body}); throw 0 }),
		tried('listened', () => new Promise((ok, no) => { const s = new EventSource(base + '/events', {withCredentials: true}); s.onopen = () => ok('open'); s.onerror = () => { s.close(); no() } })),
		tried('embedded', () => new Promise((ok, no) => { const s = document.createElement('script'); s.onload = () => ok('loaded'); s.onerror = no; s.src = base + '/static/x/kit.js'; document.body.append(s) })),
	]);
})();
</script>`

// foreign: a page of another site gets nothing from the counter and changes nothing, as a
// real browser enforces it. Chromium resolves names below localhost to the loopback
// address, so one such name is the other site here, and another one a name that was
// pointed at the counter.
func foreign(t *testing.T, chromium context.Context) {
	t.Parallel()
	f := newFake()
	s, err := compose(f, testConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var mu sync.Mutex
	var asked []string // the requests that reached the counter
	srv := uitest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Sec-Fetch-Dest")))
		mu.Unlock()
		s.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	id := f.add(cashOp(func(v *edge.View) { v.State = op.Reserved }))
	step := "/op/" + string(id) + "/capture"
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, attack, srv.URL, step)
	}))
	t.Cleanup(evil.Close)

	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	// Not uitest.Open: the browser rightly complains about such a page.
	b := &uitest.Browser{T: t, Ctx: ctx, Base: srv.URL, Size: "foreign"}
	b.Navigate("/")
	b.WaitForFocus("#pin")
	b.Press("2", "5", "8", "0", kb.Enter)
	b.WaitForHeading("What does the customer need?")
	at := func(base, name string) string { return "http://" + name + base[strings.LastIndex(base, ":"):] }

	mu.Lock()
	asked = nil
	mu.Unlock()
	b.Base = at(evil.URL, "scooter.localhost")
	b.Navigate("/")
	got := uitest.Eval[[]string](b, `window.done`)
	for _, what := range got {
		if !strings.HasSuffix(what, "refused") {
			t.Errorf("a foreign page %s", what)
		}
	}
	mu.Lock()
	for _, want := range []string{"GET / iframe", "POST " + step + " iframe", "POST " + step + " empty", "GET /events empty"} {
		if !slices.Contains(asked, want) {
			t.Errorf("the attack never came as %q: %q", want, asked)
		}
	}
	// A framed page would load its styles.
	if slices.ContainsFunc(asked, func(s string) bool { return strings.HasSuffix(s, " style") }) {
		t.Errorf("the counter shows itself in a frame: %q", asked)
	}
	mu.Unlock()
	f.mu.Lock()
	if f.captures[id] != 0 || f.ops[id].State != op.Reserved {
		t.Errorf("a foreign page asked for %d fingers", f.captures[id])
	}
	f.mu.Unlock()

	b.Base = at(srv.URL, "rebound.localhost")
	b.Navigate("/")
	b.WaitFor(`document.body.innerText.includes("Open the counter another way")`)
	// The page that it gets there may not fetch anything.
	if got := uitest.Eval[string](b, `fetch("/", {credentials: "include"}).then((r) => "HTTP " + r.status, () => "refused")`); got != "refused" {
		t.Errorf("a name that was pointed at the counter reads %s", got)
	}

	// The agent's own tab is unchanged.
	b.Base = srv.URL
	b.Navigate("/op/" + string(id))
	b.WaitForHeading("Ask for the finger")
}
