package main

import (
	"io"
	"log/slog"
)

// logHandler writes the log in the chosen form.
func (r *runCmd) logHandler(w io.Writer) slog.Handler {
	if r.LogFormat == "text" {
		return slog.NewTextHandler(w, nil)
	}
	return slog.NewJSONHandler(w, nil)
}
