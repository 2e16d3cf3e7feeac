package ui_test

import (
	"io"
	"net/http"
	"testing"

	"galla/edge/ui/uitest"
)

// BenchmarkPage is a page with every shared piece, over HTTP.
func BenchmarkPage(b *testing.B) {
	for _, language := range []string{"en", "ta"} {
		b.Run(language, func(b *testing.B) {
			h := uitest.Serve(b, uitest.NewCounter(), pieceSection())
			v := h.NewClient(b)
			v.GetRedirect("/enter?language=" + language)
			for b.Loop() {
				reply, err := v.HTTP.Get(h.Base + "/gallery")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, reply.Body); err != nil || reply.StatusCode != http.StatusOK {
					b.Fatal(reply.Status, err)
				}
				_ = reply.Body.Close()
			}
		})
	}
}
