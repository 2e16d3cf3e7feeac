package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"galla/edge/update/release"
)

// Bounds of requests.
const (
	metadataWait = time.Minute      // for one file of metadata, a few kilobytes, on a bad connection
	stall        = time.Minute      // without a byte: the connection is gone
	fetchWait    = 6 * time.Hour    // for one release: 30 MiB at the speed of a bad evening
	readChunk    = 64 << 10         // bytes that are read at once
	maxResumes   = 20               // of one release in one check, each after an interruption
	resumePause  = 10 * time.Second // before each
	// connectionPoll is how often ConnectionNeeded is called during a fetch.
	connectionPoll = 250 * time.Millisecond
	// reservedSpace is what stays free on the disk, in bytes: the queue, its copy when it is
	// compacted, and the log of some days.
	reservedSpace = 64 << 20
)

// metadataFetcher fetches metadata for go-tuf's client, and remembers the roots.
type metadataFetcher struct {
	ctx   context.Context
	http  *http.Client
	roots [][]byte
}

// DownloadFile implements go-tuf's Fetcher.
func (s *metadataFetcher) DownloadFile(address string, most int64, _ time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(s.ctx, metadataWait)
	defer cancel()
	resp, err := get(ctx, s.http, address, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, &metadata.ErrDownloadHTTP{StatusCode: resp.StatusCode, URL: address}
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path.Base(address), err)
	}
	if int64(len(text)) > most {
		return nil, &metadata.ErrDownloadLengthMismatch{Msg: fmt.Sprintf("%s has more than %d bytes", path.Base(address), most)}
	}
	if strings.HasSuffix(address, "."+metadata.ROOT+".json") {
		s.roots = append(s.roots, text)
	}
	return text, nil
}

func get(ctx context.Context, client *http.Client, address string, from int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	// The hash is of the stored bytes; the transport would decompress them.
	req.Header.Set("Accept-Encoding", "identity")
	if from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
	}
	return client.Do(req)
}

// fetch downloads a release into its partial file, with fsync; Add checks its hash.
// An interrupted download is resumed, in this check and the next.
func (u *Updater) fetch(ctx context.Context, t release.Target) error {
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	for resumes := 0; ; resumes++ {
		if err := u.waitForConnection(ctx); err != nil {
			return err
		}
		err := u.fetchOnce(ctx, t)
		var broke *interrupted
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errConnectionNeeded):
			resumes--
			continue
		case errors.As(err, &broke) && resumes < maxResumes && ctx.Err() == nil:
			u.log.Info("download interrupted; it is resumed", "release", t.Version, "error", err)
		case errors.As(err, &broke):
			return err // the next check resumes
		default:
			return errors.Join(err, removeIf(u.cfg.Releases.PartialPath(t))) // frees a full disk
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(resumePause):
		}
	}
}

// errConnectionNeeded reports that an operation needs the connection.
var errConnectionNeeded = errors.New("an operation needs the connection")

// waitForConnection waits until no operation needs the connection.
func (u *Updater) waitForConnection(ctx context.Context) error {
	for u.cfg.ConnectionNeeded() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(connectionPoll):
		}
	}
	return ctx.Err()
}

// interrupted reports a download that can be resumed.
type interrupted struct{ error }

func (b *interrupted) Unwrap() error { return b.error }

func removeIf(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// fetchOnce makes one request for the missing bytes.
func (u *Updater) fetchOnce(ctx context.Context, t release.Target) (err error) {
	f, err := os.OpenFile(u.cfg.Releases.PartialPath(t), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have > t.Length {
		have = 0
	}
	if have == t.Length {
		return f.Sync()
	}
	if err := u.checkSpace(t.Length - have); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silent := time.AfterFunc(stall, cancel)
	defer silent.Stop()
	address := u.cfg.Base + "targets/" + fmt.Sprintf("%x.%s", t.SHA256, t.Name)
	resp, err := get(ctx, u.http, address, have)
	if err != nil {
		return &interrupted{err}
	}
	defer func() { _ = resp.Body.Close() }()
	switch {
	case resp.StatusCode == http.StatusPartialContent && strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
	case resp.StatusCode == http.StatusOK:
		have = 0 // it starts again
	case resp.StatusCode == http.StatusServiceUnavailable || resp.StatusCode == http.StatusTooManyRequests:
		return &interrupted{fmt.Errorf("the central is busy (HTTP %d)", resp.StatusCode)}
	default:
		return fmt.Errorf("the central answered HTTP %d", resp.StatusCode)
	}
	if err := f.Truncate(have); err != nil {
		return err
	}
	return u.writeBody(ctx, f, resp.Body, have, t, silent)
}

// checkSpace returns an error where so many bytes more must not be written. A disk
// whose free space is unknown is not checked.
func (u *Updater) checkSpace(bytes int64) error {
	space, err := u.cfg.FreeSpace()
	if err == nil && space < bytes+reservedSpace {
		const mega = 1 << 20
		return fmt.Errorf("the counter's disk has %d MiB left, and this release takes %d beside the %d that operations may need: free some space; nothing was fetched",
			space/mega, (bytes+mega-1)/mega, reservedSpace/mega)
	}
	return nil
}

// writeBody appends to the file, up to the release's length.
func (u *Updater) writeBody(ctx context.Context, f *os.File, body io.Reader, have int64, t release.Target, silent *time.Timer) error {
	buffer, looked := make([]byte, readChunk), time.Now()
	for have < t.Length {
		if time.Since(looked) >= connectionPoll {
			if looked = time.Now(); u.cfg.ConnectionNeeded() {
				return &interrupted{errConnectionNeeded}
			}
		}
		n, err := body.Read(buffer[:min(int64(len(buffer)), t.Length-have)])
		if n > 0 {
			silent.Reset(stall)
			if _, err := f.WriteAt(buffer[:n], have); err != nil {
				return fmt.Errorf("the disk does not take it: %w", err)
			}
			have += int64(n)
			u.setStatus(func(s *Status) { s.Fetched = int(have * 100 / t.Length) })
		}
		if err != nil && have < t.Length {
			if ctx.Err() != nil && errors.Is(err, context.Canceled) {
				err = errors.New("no byte came for " + stall.String())
			}
			return &interrupted{err}
		}
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("the disk does not take it: %w", err)
	}
	return nil
}
