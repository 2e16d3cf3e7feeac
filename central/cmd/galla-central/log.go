package main

import (
	"io"
	"log/slog"
)

// logHandler writes the log in the chosen form.
func (c *cli) logHandler(w io.Writer) slog.Handler {
	if c.LogFormat == "text" {
		return slog.NewTextHandler(w, nil)
	}
	return slog.NewJSONHandler(w, nil)
}
