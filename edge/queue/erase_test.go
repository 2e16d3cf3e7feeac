package queue

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/shared/op"
	"galla/shared/seal"
)

// ctr decrypts what a sealed value at the start of data would hold, without
// its tag: a thief does not mind a damaged tag or an unknown length.
func ctr(block cipher.Block, data []byte) []byte {
	iv := append(slices.Clone(data[1:13]), 0, 0, 0, 2) // GCM encrypts from counter 2
	out := make([]byte, min(len(data)-13, 600))
	cipher.NewCTR(block, iv).XORKeyStream(out, data[13:13+len(out)])
	return out
}

// plunder is what a thief finds who has the files and the main key: any byte 1
// may begin a sealed value. He collects body keys from everything that looks
// like a slot, and then opens every place of every file with every key.
// Slots that he does not look for are those of operations that are open.
func plunder(t *testing.T, files map[string][]byte, key byte, open ...int) (found []string) {
	t.Helper()
	mainBlock, err := aes.NewCipher(bytes.Repeat([]byte{key}, 32))
	if err != nil {
		t.Fatal(err)
	}
	box, err := seal.New(testKey(key), nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := []cipher.Block{mainBlock}
	files = maps.Clone(files)
	for name, data := range files {
		if strings.HasSuffix(name, journalSuffix) {
			files[name+", opened"] = bodiesIn(box, data)
		}
	}
	for _, data := range files {
		for at := 0; at+sealedKey <= len(data); at++ {
			if data[at] != 1 {
				continue
			}
			for slot := range 130 {
				raw, err := box.Open(data[at:at+sealedKey], slotContext(slot)...)
				if err != nil || slices.Contains(open, slot) {
					continue
				}
				block, err := aes.NewCipher(raw)
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, block)
			}
		}
	}
	for name, data := range files {
		if bytes.Contains(data, []byte(testAadhaar)) {
			found = append(found, name+" in the clear")
		}
		for at := 0; at+29 <= len(data); at++ {
			if data[at] != 1 {
				continue
			}
			for n, block := range keys {
				if bytes.Contains(ctr(block, data[at:]), []byte(testAadhaar)) {
					found = append(found, fmt.Sprintf("%s at %d with key %d", name, at, n))
				}
			}
		}
	}
	return found
}

// bodiesIn opens every entry of a journal, old ones too, and gives the sealed bodies.
func bodiesIn(box *seal.Box, data []byte) (bodies []byte) {
	for at := 0; at+entryAlign <= len(data); at += entryAlign {
		seq, end := binary.BigEndian.Uint64(data[at:]), at+entryHead+int(binary.BigEndian.Uint32(data[at+8:]))
		if end > len(data) {
			continue
		}
		plain, err := box.Open(data[at+entryHead:end], journalContext(seq)...)
		var e entry
		if err != nil || json.Unmarshal(plain, &e) != nil {
			continue
		}
		for _, p := range e.Puts {
			bodies = append(bodies, p.Body...)
		}
	}
	return bodies
}

// TestErasure robs the counter before and after an operation's end.
func TestErasure(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	q := mustOpen(t, config(path))
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	mustBecome(t, q, id, op.Queued, op.Sent, op.Pending)
	if found := plunder(t, filesOf(t, path), 1); len(found) == 0 {
		t.Fatal("the thief finds nothing while there is something: he is a bad test")
	}
	if found := plunder(t, filesOf(t, path), 2); len(found) != 0 {
		t.Errorf("without the main key he finds %v", found)
	}
	onlyDB := filesOf(t, path)
	delete(onlyDB, "queue.db.keys")
	if found := plunder(t, onlyDB, 1); len(found) != 0 {
		t.Errorf("without the keys file he finds %v", found)
	}
	for name := range onlyDB {
		if name != "queue.db" && name != "queue.db.lock" && name != "queue.db.journal" {
			t.Errorf("the thief does not know the file %s", name)
		}
	}
	if len(bodiesIn(q.box, onlyDB["queue.db.journal"])) == 0 {
		t.Error("the journal had no body")
	}
	mustRest(t, q) // the body is in the file, too
	before := filesOf(t, path)

	mustBecome(t, q, id, op.Succeeded)
	mustRest(t, q)
	after := filesOf(t, path)
	if found := plunder(t, after, 1); len(found) != 0 {
		t.Errorf("after the end he finds %v", found)
	}
	if found := plunder(t, map[string][]byte{"old backup": before["queue.db"], "old.journal": before["queue.db.journal"], "keys": after["queue.db.keys"]}, 1); len(found) != 0 {
		t.Errorf("in an old backup of queue.db he finds %v", found)
	}
	if len(q.keys.byID) != 0 {
		t.Error("the key is still in memory")
	}
}

// TestErasureAfterACrash leaves body keys as a power cut would: of an operation
// that ended, and of one that never was.
func TestErasureAfterACrash(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	ended := mustAdd(t, q, record(newID(t), op.Reserved))
	open := mustAdd(t, q, record(newID(t), op.Reserved))
	if err := q.keys.assign(newID(t)); err != nil {
		t.Fatal(err)
	}
	keysBefore := filesOf(t, path)["queue.db.keys"]
	mustBecome(t, q, ended, op.Expired)
	q.Kill()
	if err := os.WriteFile(path+keysSuffix, keysBefore, 0o600); err != nil {
		t.Fatal(err)
	}
	kept := q.keys.byID[open].slot
	if found := plunder(t, filesOf(t, path), 1, kept); len(found) == 0 {
		t.Fatal("the crash left nothing to wipe")
	}
	q = mustOpen(t, config(path))
	if found := plunder(t, filesOf(t, path), 1, kept); len(found) != 0 {
		t.Errorf("the next start leaves %v", found)
	}
	if r, err := q.Get(open); err != nil || r.Body == nil {
		t.Errorf("the open operation lost its body: %+v, %v", r, err)
	}
	if len(q.keys.free)+len(q.keys.ready)+1+1 != q.keys.slots {
		t.Errorf("of %d slots %d are free, %d have new keys", q.keys.slots, len(q.keys.free), len(q.keys.ready))
	}
	for slot, now := range slices.Collect(slices.Chunk(filesOf(t, path)["queue.db.keys"], slotSize)) {
		if slot > 0 && slot != kept && bytes.Equal(now, keysBefore[slot*slotSize:(slot+1)*slotSize]) {
			t.Errorf("the key in slot %d is from before the crash: it may have been used", slot)
		}
	}
}

// TestErasureAtRest waits for what a counter does by itself.
func TestErasureAtRest(t *testing.T) {
	path := newPath(t)
	synctest.Test(t, func(t *testing.T) {
		q := mustOpen(t, config(path))
		id := mustAdd(t, q, record(newID(t), op.Reserved))
		mustBecome(t, q, id, op.Queued, op.Sent, op.Failed)
		if found := plunder(t, filesOf(t, path), 1); len(found) == 0 {
			t.Error("the key was overwritten before the answer, which costs a sync")
		}
		time.Sleep(restAfter + time.Millisecond)
		synctest.Wait()
		if found := plunder(t, filesOf(t, path), 1); len(found) != 0 {
			t.Errorf("after a rest he finds %v", found)
		}
		if q.waiting.count() != 0 || q.needsRest() {
			t.Error("something waits still")
		}
		if r, err := q.Get(id); err != nil || r.State != op.Failed {
			t.Errorf("%+v, %v", r, err)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestOldKeys opens a queue of schema 1, whose keys were sealed for their operation.
func TestOldKeys(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	mustRest(t, q)
	slot := q.keys.byID[id].slot
	data := filesOf(t, path)["queue.db.keys"]
	raw, err := q.box.Open(data[slot*slotSize:slot*slotSize+sealedKey], slotContext(slot)...)
	if err != nil {
		t.Fatal(err)
	}
	old, err := q.box.Seal(raw, append(slotContext(slot), []byte(id))...)
	if err != nil {
		t.Fatal(err)
	}
	copy(data[slot*slotSize:], old)
	if err := q.update(func(tx *bbolt.Tx) error {
		return txWriter{q: q, tx: tx}.putMeta(keyCheck, check{Schema: 1})
	}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(q.Close(), os.Remove(path+journalSuffix), os.WriteFile(path+keysSuffix, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	q = mustOpen(t, config(path))
	if r, err := q.Get(id); err != nil || !bytes.Contains(r.Body, []byte(testAadhaar)) {
		t.Errorf("%+v, %v", r, err)
	}
	var c check
	if err := q.view(func(tx *bbolt.Tx) error { q.readMeta(tx, keyCheck, &c); return nil }); err != nil || c.Schema != Writes {
		t.Errorf("the file has schema %d, %v", c.Schema, err)
	}
}

// TestSlotsAreUsedAgain ends and begins many operations; the keys file grows
// with what is open at once only.
func TestSlotsAreUsedAgain(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	q := mustOpen(t, config(path))
	var open []op.ID
	for range 70 { // more than one chunk
		open = append(open, mustAdd(t, q, record(newID(t), op.Reserved)))
	}
	for range 3 {
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { mustBecome(t, q, mustAdd(t, q, record(newID(t), op.Reserved)), op.Expired) })
		}
		wg.Wait()
	}
	mustRest(t, q)
	if size := len(filesOf(t, path)["queue.db.keys"]); size > 4*slotChunk*slotSize {
		t.Errorf("the keys file has %d bytes", size)
	}
	// A body may change and go while its operation is open.
	for i, body := range [][]byte{[]byte("other"), nil, []byte("third")} {
		got, err := q.Change(open[0], func(r *edge.Record) error { r.Body = body; return nil })
		if err != nil || !bytes.Equal(got.Body, body) {
			t.Errorf("body %d: %q, %v", i, got.Body, err)
		}
		if stored, err := q.Get(open[0]); err != nil || !bytes.Equal(stored.Body, body) {
			t.Errorf("body %d: stored %q, %v", i, stored.Body, err)
		}
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	q = mustOpen(t, config(path))
	for _, id := range open[1:] {
		if r, err := q.Get(id); err != nil || !bytes.Contains(r.Body, []byte(testAadhaar)) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if r, err := q.Get(open[0]); err != nil || string(r.Body) != "third" {
		t.Errorf("%q, %v", r.Body, err)
	}
}

func TestASlotIsOneWrite(t *testing.T) {
	box, err := seal.New(testKey(1), &zeros{})
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := box.Seal(make([]byte, seal.KeySize), slotContext(1)...)
	if err != nil || len(sealed) != sealedKey || sealedKey > slotSize || 512%slotSize != 0 {
		t.Errorf("a sealed key has %d bytes, %v; a slot %d", len(sealed), err, slotSize)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
