package queue

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// VerifyCommand is the first argument of the child process of ChildVerifier; the
// path follows it. The program then calls RunVerifier and exits with its status.
const VerifyCommand = "verify-queue"

// Exit statuses of the child process. Status 2 is a crash of the Go runtime.
const (
	statusLocked  = 5
	statusDamaged = 6
	statusCrashed = 2
)

// verifyTimeout bounds the child process: a file of the largest size takes some
// seconds on a slow disk.
const verifyTimeout = time.Minute

// maxVerifyStack bounds the stack of the child process, in bytes: a circle of
// damaged pages ends soon.
const maxVerifyStack = 64 << 20

// ChildVerifier returns a Config.Verify that opens and checks the file in a child
// process. bbolt has no checksums on its pages: a damaged page can make it read
// outside the file, which no process survives. A crash of the child means that
// the file is damaged; a timeout or a killed child is an error, and the file
// stays in use.
func ChildVerifier(program string) func(path string) error {
	return func(path string) error {
		ctx, cancel := context.WithTimeout(context.Background(), verifyTimeout)
		defer cancel()
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, program, VerifyCommand, path)
		cmd.Stderr = &said
		err := cmd.Run()
		exit := (*exec.ExitError)(nil)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("the file was not checked within %s", verifyTimeout)
		case !errors.As(err, &exit):
			return fmt.Errorf("start the check of the file: %w", err)
		}
		line, _, _ := strings.Cut(said.String(), "\n")
		switch exit.ExitCode() {
		case statusLocked:
			return ErrLocked
		case statusDamaged, statusCrashed:
			return damaged("%.200s", line)
		}
		return fmt.Errorf("check the file: %w: %.200s", err, line)
	}
}

// RunVerifier runs in the child process of ChildVerifier. It verifies the file and
// returns the exit status.
func RunVerifier(path string, stderr io.Writer) (status int) {
	debug.SetMaxStack(maxVerifyStack)
	err := VerifyFile(path)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrLocked):
		status = statusLocked
	case isDamage(err):
		status = statusDamaged
	default:
		status = 1
	}
	_, _ = fmt.Fprintln(stderr, err)
	return status
}

// VerifyFile opens a queue file for reading, checks its pages and reads every
// value. A damaged file is an error, or crashes the process.
func VerifyFile(path string) (err error) {
	db, err := openReadOnly(path, DefaultLockTimeout)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	defer recoverFault(&err)()
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return db.View(func(tx *bbolt.Tx) error {
		// First, since Check believes the length of a page.
		if err := checkPages(tx, pageReader{f, int64(db.pageSize)}); err != nil {
			return err
		}
		var first error
		for err := range tx.Check() {
			if first == nil {
				first = damaged("the file's pages: %v", err)
			}
		}
		if first != nil {
			return first
		}
		return tx.ForEach(readAll)
	})
}

// readAll reads a bucket, which holds plain values only.
func readAll(name []byte, b *bbolt.Bucket) error {
	if b == nil {
		return damaged("an entry that should be a bucket is none")
	}
	sum := crc32.NewIEEE()
	return b.ForEach(func(k, v []byte) error {
		if v == nil {
			return damaged("bucket %.20q has a bucket inside", name)
		}
		_, _ = sum.Write(k)
		_, _ = sum.Write(v)
		return nil
	})
}

// checkPages checks what bbolt's Check does not: that each page ends in the file,
// that its elements lie in the page, one after the other, and that a branch has
// the first key of each of its pages.
func checkPages(tx *bbolt.Tx, r pageReader) error {
	for id := 2; ; id++ {
		info, err := tx.Page(id)
		if err != nil || info == nil {
			return err
		}
		if info.Type == "free" {
			continue
		}
		pages := int64(info.OverflowCount) + 1
		if (int64(id)+pages)*r.pageSize > tx.Size() {
			return damaged("page %d is longer than the file", id)
		}
		switch info.Type {
		case "branch", "leaf":
			page, err := r.read(uint64(id), pages)
			if err != nil {
				return err
			}
			keys, ok := elementKeys(page, info.Type == "leaf")
			if !ok || info.Type == "branch" && !r.hasFirstKeys(page, keys) {
				return damaged("page %d has a damaged element", id)
			}
		case "freelist":
		default:
			return damaged("page %d has a damaged header", id)
		}
		id += info.OverflowCount
	}
}

type pageReader struct {
	io.ReaderAt
	pageSize int64
}

func (r pageReader) read(id uint64, count int64) ([]byte, error) {
	page := make([]byte, count*r.pageSize)
	if _, err := r.ReadAt(page, int64(id)*r.pageSize); err != nil {
		return nil, damaged("page %d can't be read: %v", id, err)
	}
	return page, nil
}

// hasFirstKeys reports whether the keys of a branch are the first keys of its
// pages.
func (r pageReader) hasFirstKeys(branch []byte, keys [][]byte) bool {
	for i, key := range keys {
		id := binary.NativeEndian.Uint64(branch[pageHeader+i*elementSize+8:])
		child, err := r.read(id, 1)
		if err != nil {
			return false
		}
		order := binary.NativeEndian
		leaf := order.Uint16(child[8:])&leafFlag != 0
		e := child[pageHeader : pageHeader+elementSize]
		distance := order.Uint32(e)
		if leaf {
			distance = order.Uint32(e[4:])
		}
		// A key that goes on in an overflow page is compared as far as it is here.
		at := min(int64(pageHeader)+int64(distance), int64(len(child)))
		if first := child[at:]; !bytes.HasPrefix(first, key) && !bytes.HasPrefix(key, first) {
			return false
		}
	}
	return true
}

// A page has a header of 16 bytes, with flags at 8 and the number of elements at
// 10 (u16 each), its elements of 16 bytes each, and then their keys and values. Element of a leaf:
// flags, distance to the key, size of the key, size of the value (u32 each); of
// a branch: distance, size of the key (u32), page (u64). The value of a bucket is
// its root page and a sequence (u64 each); a small bucket has root page 0, and its
// page follows.
const (
	elementSize = 16
	leafFlag    = 2 // of a page
	bucketFlag  = 1 // of an element
	bucketHead  = 16
)

// elementKeys returns the keys of a page. False: keys and values do not follow
// each other without a gap, or do not end in the page.
func elementKeys(page []byte, leaf bool) (keys [][]byte, ok bool) {
	if len(page) < pageHeader {
		return nil, false
	}
	order := binary.NativeEndian
	count := int(order.Uint16(page[10:]))
	next := int64(pageHeader + count*elementSize)
	if next > int64(len(page)) {
		return nil, false
	}
	for i := range count {
		at := pageHeader + i*elementSize
		e := page[at : at+elementSize]
		flags, distance, key, value := uint32(0), order.Uint32(e), order.Uint32(e[4:]), uint32(0)
		if leaf {
			flags, distance, key, value = order.Uint32(e), order.Uint32(e[4:]), order.Uint32(e[8:]), order.Uint32(e[12:])
		}
		start := next + int64(key)
		end := start + int64(value)
		if int64(at)+int64(distance) != next || end > int64(len(page)) || flags&bucketFlag != 0 && !isBucket(page[start:end]) {
			return nil, false
		}
		keys, next = append(keys, page[next:start]), end
	}
	return keys, true
}

func isBucket(value []byte) bool {
	if len(value) < bucketHead {
		return false
	}
	if binary.NativeEndian.Uint64(value) != 0 {
		return len(value) == bucketHead
	}
	_, ok := elementKeys(value[bucketHead:], true)
	return ok
}

// verify checks the file before it is opened for writing. metaLost says that one
// of its two meta pages is damaged: bbolt then uses the other one, and the file
// may be as it was before its last transaction.
func (q *Queue) verify() (metaLost bool, err error) {
	f, err := os.Open(q.cfg.Path)
	if err != nil {
		return false, err
	}
	metaLost = isMetaLost(f)
	if err := f.Close(); err != nil {
		return false, err
	}
	if q.cfg.Verify == nil {
		return metaLost, VerifyFile(q.cfg.Path)
	}
	return metaLost, q.cfg.Verify(q.cfg.Path)
}

// The meta pages of a bbolt file, version 2, are its first two pages. After the
// page's header: magic, version, page size and flags (u32 each), 40 bytes, and
// the FNV-1a of all before it. Numbers are in the machine's byte order.
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2
	pageHeader  = 16
	metaSize    = 64 // with its checksum
	maxPage     = 64 << 10
)

// isMetaLost reports whether a meta page of the file is damaged.
func isMetaLost(r io.ReaderAt) bool {
	pageSize, ok := metaAt(r, 0)
	if !ok || pageSize <= 0 || pageSize > maxPage {
		return true
	}
	second, ok := metaAt(r, pageSize)
	return !ok || second != pageSize
}

// metaAt reads the page size of a meta page; false: the page is damaged.
func metaAt(r io.ReaderAt, at int64) (pageSize int64, ok bool) {
	var b [pageHeader + metaSize]byte
	if _, err := r.ReadAt(b[:], at); err != nil {
		return 0, false
	}
	body, order := b[pageHeader:], binary.NativeEndian
	sum := fnv.New64a()
	_, _ = sum.Write(body[:metaSize-8])
	ok = order.Uint32(body) == boltMagic && order.Uint32(body[4:]) == boltVersion && order.Uint64(body[metaSize-8:]) == sum.Sum64()
	return int64(order.Uint32(body[8:])), ok
}
