package queue

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

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
func plunder(t *testing.T, files map[string][]byte, key byte, ids []op.ID) (found []string) {
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
	for _, data := range files {
		for at := 0; at+sealedKey <= len(data); at++ {
			if data[at] != 1 {
				continue
			}
			for _, id := range ids {
				for slot := range 80 {
					raw, err := box.Open(data[at:at+sealedKey], slotContext(slot, id)...)
					if err != nil {
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

// TestErasure robs the counter before and after an operation's end.
func TestErasure(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	q := mustOpen(t, config(path))
	id := mustAdd(t, q, record(newID(t), op.Reserved))
	mustBecome(t, q, id, op.Queued, op.Sent, op.Pending)
	ids := []op.ID{id}
	if found := plunder(t, filesOf(t, path), 1, ids); len(found) == 0 {
		t.Fatal("the thief finds nothing while there is something: he is a bad test")
	}
	if found := plunder(t, filesOf(t, path), 2, ids); len(found) != 0 {
		t.Errorf("without the main key he finds %v", found)
	}
	onlyDB := filesOf(t, path)
	delete(onlyDB, "queue.db.keys")
	if found := plunder(t, onlyDB, 1, ids); len(found) != 0 {
		t.Errorf("without the keys file he finds %v", found)
	}
	stolen := filesOf(t, path)["queue.db"]

	mustBecome(t, q, id, op.Succeeded)
	after := filesOf(t, path)
	if found := plunder(t, after, 1, ids); len(found) != 0 {
		t.Errorf("after the end he finds %v", found)
	}
	if found := plunder(t, map[string][]byte{"old backup": stolen, "keys": after["queue.db.keys"]}, 1, ids); len(found) != 0 {
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
	if _, err := q.keys.allocate(newID(t)); err != nil {
		t.Fatal(err)
	}
	keysBefore := filesOf(t, path)["queue.db.keys"]
	mustBecome(t, q, ended, op.Expired)
	q.Kill()
	if err := os.WriteFile(path+keysSuffix, keysBefore, 0o600); err != nil {
		t.Fatal(err)
	}
	if found := plunder(t, filesOf(t, path), 1, []op.ID{ended}); len(found) == 0 {
		t.Fatal("the crash left nothing to wipe")
	}
	q = mustOpen(t, config(path))
	if found := plunder(t, filesOf(t, path), 1, []op.ID{ended}); len(found) != 0 {
		t.Errorf("the next start leaves %v", found)
	}
	if r, err := q.Get(open); err != nil || r.Body == nil {
		t.Errorf("the open operation lost its body: %+v, %v", r, err)
	}
	if len(q.keys.free)+1+1 != q.keys.slots {
		t.Errorf("%d of %d slots are free", len(q.keys.free), q.keys.slots)
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
	if size := len(filesOf(t, path)["queue.db.keys"]); size > 3*slotChunk*slotSize {
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
	id := newID(t)
	box, err := seal.New(testKey(1), &zeros{})
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := box.Seal(make([]byte, seal.KeySize), slotContext(1, id)...)
	if err != nil || len(sealed) != sealedKey || sealedKey > slotSize || 512%slotSize != 0 {
		t.Errorf("a sealed key has %d bytes, %v; a slot %d", len(sealed), err, slotSize)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
