package uitest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestChromiumPress: a key that leads to a field is not typed into it, as with a real keyboard;
// the following keys are.
func TestChromiumPress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(`<!doctype html><html lang="en"><title>keys</title>
<form onsubmit="event.preventDefault(); document.title = 'sent ' + field.value"><input id="field"></form>
<script>
const field = document.querySelector("#field");
document.addEventListener("keydown", (e) => {
	if (e.key !== "3" || document.activeElement === field) return;
	e.preventDefault();
	field.focus();
});
</script></html>`))
	}))
	t.Cleanup(server.Close)
	b := Open(t, Chromium(t), server.URL, 360, 740)
	b.Navigate("/")
	b.Press("3")
	b.WaitForFocus("#field")
	b.Press("4", "a", "A", "₹", kb.Backspace, "3", " ", kb.Enter)
	b.WaitFor(`document.title.trim() === "sent 4aA3"`)
}
