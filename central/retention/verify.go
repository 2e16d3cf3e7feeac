package retention

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"

	"galla/shared/op"
)

// maxLineBytes bounds a line of an archive, in bytes: a short reply and the history of
// seven days of enquiries.
const maxLineBytes = 1 << 20

// listBatch is how many archives a query reads.
const listBatch = 500

// VerifyResult is the result of Verify.
type VerifyResult struct {
	Files      int // recorded in the database, and intact
	Operations int // lines in them
	// Faults are archives that are missing or were changed.
	Faults []string
	// Strays are files without a row: an interrupted run leaves them, and its operations
	// were archived again.
	Strays []string
}

// Verify compares every recorded archive with its file: the SHA-256 of the database, that
// of the checksum file, the number of lines, and whether each line can be parsed. An error
// means that it could not check.
func Verify(ctx context.Context, store ArchiveStore, folder string) (v VerifyResult, err error) {
	known := map[string]bool{}
	for after := ""; ; {
		list, err := store.ListArchives(ctx, after, listBatch)
		if err != nil {
			return v, err
		}
		if len(list) == 0 {
			break
		}
		for _, a := range list {
			if err := ctx.Err(); err != nil {
				return v, err
			}
			known[a.File], after = true, a.File
			if err := verifyFile(folder, a); err != nil {
				v.Faults = append(v.Faults, fmt.Sprintf("%s: %v", a.File, err))
				continue
			}
			v.Files, v.Operations = v.Files+1, v.Operations+a.Operations
		}
	}
	found, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return v, fmt.Errorf("list the folder of archives: %w", err)
	}
	for _, f := range found {
		if name := f.Name(); isArchive(strings.TrimSuffix(name, partSuffix)) && !known[name] {
			v.Strays = append(v.Strays, name)
		}
	}
	return v, nil
}

// verifyFile verifies one archive.
func verifyFile(folder string, a Archive) error {
	path := filepath.Join(folder, a.File)
	beside, err := os.ReadFile(path + sumSuffix)
	if err != nil {
		return fmt.Errorf("its checksum file: %w", err)
	}
	if got, _, _ := strings.Cut(string(beside), " "); got != a.SHA256 {
		return fmt.Errorf("the checksum file has %.12s…, and the database has %.12s…", got, a.SHA256)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != a.SHA256 {
		return fmt.Errorf("its SHA-256 is %.12s… and must be %.12s…: it was changed after it was written", got, a.SHA256)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines, err := countLines(f)
	if err == nil && lines != a.Operations {
		err = fmt.Errorf("it has %d lines, and the database says %d", lines, a.Operations)
	}
	return err
}

// countLines parses and counts the lines of an archive.
func countLines(from io.Reader) (lines int, err error) {
	err = ReadArchive(from, func(ArchiveLine) error { lines++; return nil })
	return lines, err
}

// ArchiveLine is a line of an archive. Text is the whole line.
type ArchiveLine struct {
	V    int    `json:"v"`
	ID   op.ID  `json:"id"`
	Text []byte `json:"-"`
}

// ReadArchive calls each for every line of an archive; each must not keep its Text. A line
// that can't be parsed is an error.
func ReadArchive(from io.Reader, each func(ArchiveLine) error) error {
	zip, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("it is no gzip file: %w", err)
	}
	text := bufio.NewScanner(zip)
	text.Buffer(nil, maxLineBytes)
	for n := 1; text.Scan(); n++ {
		var l ArchiveLine
		if err := json.Unmarshal(text.Bytes(), &l); err != nil || l.ID == "" || l.V != entryVersion {
			return fmt.Errorf("line %d can't be read by this program", n)
		}
		l.Text = text.Bytes()
		if err := each(l); err != nil {
			return err
		}
	}
	if err := text.Err(); err != nil {
		return fmt.Errorf("it can't be read to its end: %w", err)
	}
	return nil
}
