package keep

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

	"galla/central/duty"
	"galla/shared/op"
)

// maxLine bounds one line of an archive, in bytes: a short reply and the
// history of seven days of enquiries.
const maxLine = 1 << 20

// listed is how many archives one look at the table brings.
const listed = 500

// Verified is what a verification found.
type Verified struct {
	Files      int // that the database names, and are whole
	Operations int // lines in them
	// Faults are archives that are missing or are not what was written.
	Faults []string
	// Strays are files that no row names: an interrupted run leaves them, and
	// its operations were archived again.
	Strays []string
}

// Verify compares every archive that the database names with its file: the
// SHA-256 of the database and the one beside the file, the number of its lines,
// and whether each line can be read. An error says that it could not look.
func Verify(ctx context.Context, store duty.Archives, folder string) (v Verified, err error) {
	known := map[string]bool{}
	for after := ""; ; {
		list, err := store.Archived(ctx, after, listed)
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
			if err := verify(folder, a); err != nil {
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

// verify reads one archive to its end.
func verify(folder string, a duty.Archive) error {
	path := filepath.Join(folder, a.File)
	beside, err := os.ReadFile(path + sumSuffix)
	if err != nil {
		return fmt.Errorf("its checksum file: %w", err)
	}
	if got, _, _ := strings.Cut(string(beside), " "); got != a.SHA256 {
		return fmt.Errorf("the checksum beside it is %.12s…, and the database has %.12s…", got, a.SHA256)
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
	lines, err := count(f)
	if err == nil && lines != a.Operations {
		err = fmt.Errorf("it has %d lines, and the database says %d", lines, a.Operations)
	}
	return err
}

// count reads the lines of an archive.
func count(from io.Reader) (lines int, err error) {
	err = EachArchived(from, func(Line) error { lines++; return nil })
	return lines, err
}

// Line is what an archive says of one operation. Text is the line as it stands.
type Line struct {
	V    int    `json:"v"`
	ID   op.ID  `json:"id"`
	Text []byte `json:"-"`
}

// EachArchived hands every line of an archive to look, which must not keep its
// text. It fails at a line that can't be read.
func EachArchived(from io.Reader, look func(Line) error) error {
	zip, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("it is no gzip file: %w", err)
	}
	text := bufio.NewScanner(zip)
	text.Buffer(nil, maxLine)
	for n := 1; text.Scan(); n++ {
		var l Line
		if err := json.Unmarshal(text.Bytes(), &l); err != nil || l.ID == "" || l.V != entryVersion {
			return fmt.Errorf("line %d can't be read by this program", n)
		}
		l.Text = text.Bytes()
		if err := look(l); err != nil {
			return err
		}
	}
	if err := text.Err(); err != nil {
		return fmt.Errorf("it can't be read to its end: %w", err)
	}
	return nil
}
