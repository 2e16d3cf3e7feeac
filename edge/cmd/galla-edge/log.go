package main

import (
	"io"
	"log/slog"
)

func (r *runCmd) logHandler(w io.Writer) slog.Handler {
	if r.LogFormat == "text" {
		return slog.NewTextHandler(w, nil)
	}
	return slog.NewJSONHandler(w, nil)
}
