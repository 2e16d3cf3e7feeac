package uitest

import "testing"

// TestNotForPeople: keys, variables and formatting errors are found between any words.
func TestNotForPeople(t *testing.T) {
	for page, want := range map[string]string{
		`<p>Give ₹500.</p>`: "", `<p>Take {amount} now</p>`: "{amount}", `<p>%!s(MISSING)</p>`: "%!s",
		`<h1>home.title</h1>`: "home.title", `<p class="unlock.wrong.wait">x</p>`: "unlock.wrong.wait", `<p>see dmt.problem now</p>`: "dmt.problem",
		`<p data-spelling="{n} hundred">x</p>`: "", `<p>other.key</p>`: "", `<p>home.</p>`: "", `<p>e.g.home.title</p>`: "", `<a href="/upi.css">x</a>`: "",
	} {
		if got := string(notForPeople([]byte(page))); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}
