package console

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"
)

// Bounds of a form with a file.
const (
	maxFields = 20
	maxField  = 8 << 10 // bytes; a reason is the longest
	// maxSettlement bounds a settlement file: half a million lines of a hundred
	// bytes and their names.
	maxSettlement = 128 << 20
)

// upload reads a form whose fields stand before its file, and calls take with both;
// the file is nil where none was chosen. Nothing is written to a disk. It answers
// itself where the form is wrong.
func (v *visit) upload(most int64, take func(fields url.Values, name string, file io.Reader) error) error {
	// The server's default deadlines are too short for a file.
	control := http.NewResponseController(v.w)
	_ = control.SetReadDeadline(time.Now().Add(uploadWait))
	_ = control.SetWriteDeadline(time.Now().Add(uploadWait))
	const unreadable = "The form can't be read: it is not one of the console's, or is too large."
	bad := func() error { return v.message(http.StatusBadRequest, "The form can't be read", unreadable) }
	if kind, _, err := mime.ParseMediaType(v.r.Header.Get("Content-Type")); err != nil || kind != "multipart/form-data" {
		return v.message(http.StatusUnsupportedMediaType, "This is not a form", "The request is not a form of the console's pages.")
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, most+maxFields*maxField)
	parts, err := v.r.MultipartReader()
	if err != nil {
		return bad()
	}
	fields := url.Values{}
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		ended := errors.Is(err, io.EOF)
		if !ended && (err != nil || n >= maxFields) {
			return bad()
		}
		if ended || part.FileName() != "" {
			switch {
			case !v.checkFormToken(fields.Get("csrf")) || !v.requireStepUp(fields, true):
				return nil
			case ended:
				return take(fields, "", nil)
			}
			return take(fields, part.FileName(), part)
		}
		value, err := io.ReadAll(io.LimitReader(part, maxField+1))
		if err != nil || len(value) > maxField {
			return bad()
		}
		fields.Set(part.FormName(), string(value))
	}
}

// readFile reads a small file.
func readFile(file io.Reader, most int) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	if len(content) > most {
		return nil, fmt.Errorf("the file has more than %d MiB", most>>20)
	}
	return content, nil
}
