package queue

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"galla/edge/queue/stored"
	"galla/shared/files"
	"galla/shared/op"
	"galla/shared/seal"
	"galla/shared/secret"
)

// The keys file makes erasure final. bbolt never overwrites a page in place: a
// deleted body stays on a free page, perhaps for months. So each body is sealed
// under a random key of its own, which is in a slot of this file, sealed by the
// main key. When the operation ends, the slot is overwritten with a new key and
// fsynced, at the writer's next rest; Open overwrites slots that a power cut left.
// Old copies of a slot may remain on storage that does not overwrite in place
// (flash, btrfs, snapshots, backups of both files); they need the main key as well.
//
// New keys are minted at rest, so that a body finds one that is durable already. A
// key is used for one operation, once: Open mints anew what no operation has.
//
// Slots have 64 bytes, so that none crosses a sector and each is written whole or
// not at all. Slot 0 is the head; slot n holds one key, sealed for its slot; zeros
// are free.
const (
	slotSize  = 64
	slotChunk = 64 // slots by which the file grows: 4 KiB at once, so that its size seldom changes
	maxSlots  = stored.MaxSlots

	readyKeys = slotChunk - 1 // unused keys after a rest
	fewKeys   = 8             // fewer than this and the file grows at rest
)

// slotsHead marks a keys file whose queue file was created.
const slotsHead = "galla queue keys 1\n"

// errNoSlot reports that maxSlots operations are not final.
var errNoSlot = errors.New("too many operations without an end")

type bodyKey struct {
	slot int
	box  *seal.Box
}

// bodyKeys is the open keys file. Reading may be
// done by many; all else by the writer only.
type bodyKeys struct {
	f      *os.File
	unlock func() error
	box    *seal.Box // of the main key
	rand   io.Reader

	mu   sync.Mutex
	byID map[op.ID]bodyKey

	slots int       // in the file, the head among them
	free  []int     // slots that hold zeros, the lowest last
	ready []bodyKey // keys that are durable and were never used
	dirty []int     // slots to overwrite: their keys were used, or may not be durable
}

// lockFile locks the queue against other processes, waiting so long for one that
// has it. The lock is a file beside the keys file, since Windows locks content too.
func lockFile(path string, wait time.Duration) (unlock func() error, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	unlock, err = files.Lock(ctx, path+lockSuffix)
	if errors.Is(err, files.ErrLocked) {
		err = ErrLocked
	}
	return unlock, err
}

// hasHead reports whether the queue file of a keys file was created before.
func hasHead(f *os.File) bool {
	head := make([]byte, len(slotsHead))
	_, err := f.ReadAt(head, 0)
	return err == nil && string(head) == slotsHead
}

// load reads the keys of the given operations from their slots and overwrites all
// others, which were not used or a crash left. It returns the operations whose key
// is not in its slot.
func (k *bodyKeys) load(want map[op.ID]int) (lost []op.ID, err error) {
	data, err := io.ReadAll(io.LimitReader(io.NewSectionReader(k.f, 0, (maxSlots+1)*slotSize), (maxSlots+1)*slotSize))
	if err != nil {
		return nil, fmt.Errorf("read the body keys: %w", err)
	}
	k.slots = max(len(data)/slotSize, 1)
	used := map[int]bool{}
	for id, slot := range want {
		box, ok := k.open(data, slot, id)
		if !ok || used[slot] {
			lost = append(lost, id)
			continue
		}
		used[slot] = true
		k.byID[id] = bodyKey{slot, box}
	}
	for slot := k.slots - 1; slot > 0; slot-- {
		switch {
		case used[slot]:
		case bytes.Count(data[slot*slotSize:(slot+1)*slotSize], []byte{0}) == slotSize:
			k.free = append(k.free, slot)
		default:
			k.dirty = append(k.dirty, slot)
		}
	}
	head := make([]byte, slotSize)
	copy(head, slotsHead)
	if _, err := k.f.WriteAt(head, 0); err != nil {
		return lost, fmt.Errorf("write the head of the body keys: %w", err)
	}
	if err := k.refill(); !isFull(mapFull(err)) {
		return lost, err
	}
	return lost, nil // new operations are refused, old ones can end
}

func (k *bodyKeys) open(data []byte, slot int, id op.ID) (*seal.Box, bool) {
	if slot < 1 || (slot+1)*slotSize > len(data) {
		return nil, false
	}
	sealed := bytes.TrimSuffix(data[slot*slotSize:(slot+1)*slotSize], make([]byte, slotSize-sealedKey))
	raw, err := k.box.Open(sealed, slotContext(slot)...)
	if err != nil {
		raw, err = k.box.Open(sealed, append(slotContext(slot), []byte(id))...) // of schema 1
	}
	if err != nil {
		return nil, false
	}
	box, err := seal.New(secret.NewKey(raw), k.rand)
	return box, err == nil
}

// sealedKey is the size of a sealed key in its slot.
const sealedKey = 1 + 12 + seal.KeySize + 16

func slotContext(slot int) [][]byte {
	return [][]byte{[]byte("body key"), binary.BigEndian.AppendUint32(nil, uint32(slot))}
}

func (k *bodyKeys) get(id op.ID) (bodyKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, ok := k.byID[id]
	return b, ok
}

// assign gives an operation's body a key that is durable. Without one that is ready
// it mints some, and syncs.
func (k *bodyKeys) assign(id op.ID) error {
	if len(k.ready) == 0 {
		if err := k.refill(); err != nil {
			return err
		}
	}
	b := k.ready[len(k.ready)-1]
	k.ready = k.ready[:len(k.ready)-1]
	k.mu.Lock()
	defer k.mu.Unlock()
	k.byID[id] = b
	return nil
}

// release takes the keys of operations out of memory. The next refill overwrites
// their slots.
func (k *bodyKeys) release(ids ...op.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range ids {
		if b, ok := k.byID[id]; ok {
			k.dirty = append(k.dirty, b.slot)
			delete(k.byID, id)
		}
	}
}

func (k *bodyKeys) needsRefill() bool { return len(k.dirty) > 0 || len(k.ready) < fewKeys }

// refill overwrites the slots of keys that were used, for good when it returns nil,
// and mints new keys, in one sync. What can't be written now is tried again with the
// next call, and by the next Open. It fails with errNoSlot where no slot is left for
// a key.
func (k *bodyKeys) refill() error {
	if !k.needsRefill() {
		return nil
	}
	more := max(readyKeys-len(k.ready), 0)
	if len(k.dirty)+len(k.free) == 0 && len(k.ready) < fewKeys {
		if err := k.grow(); err != nil && len(k.ready) == 0 {
			return err
		}
	}
	for range min(max(more-len(k.dirty), 0), len(k.free)) {
		k.dirty = append(k.dirty, k.free[len(k.free)-1])
		k.free = k.free[:len(k.free)-1]
	}
	if len(k.dirty) == 0 {
		return nil
	}
	var fresh []bodyKey
	for i, slot := range k.dirty {
		content := make([]byte, slotSize)
		if i < more {
			b, err := k.mint(slot, content)
			if err != nil {
				return err
			}
			fresh = append(fresh, b)
		}
		if _, err := k.f.WriteAt(content, int64(slot)*slotSize); err != nil {
			return fmt.Errorf("overwrite a body key: %w", err)
		}
	}
	if err := syncData(k.f); err != nil {
		return fmt.Errorf("make body keys durable: %w", err)
	}
	k.ready = append(k.ready, fresh...)
	k.free = append(k.free, k.dirty[len(fresh):]...)
	k.dirty = nil
	return nil
}

// mint draws a key for a slot and writes it, sealed, into the slot's content.
func (k *bodyKeys) mint(slot int, content []byte) (bodyKey, error) {
	raw := make([]byte, seal.KeySize)
	if _, err := io.ReadFull(k.rand, raw); err != nil {
		return bodyKey{}, fmt.Errorf("draw a body key: %w", err)
	}
	box, err := seal.New(secret.NewKey(raw), k.rand)
	if err != nil {
		return bodyKey{}, err
	}
	sealed, err := k.box.Seal(raw, slotContext(slot)...)
	copy(content, sealed)
	return bodyKey{slot, box}, err
}

func (k *bodyKeys) grow() error {
	more := min(slotChunk-k.slots%slotChunk, maxSlots-k.slots)
	if more <= 0 {
		return errNoSlot
	}
	if _, err := k.f.WriteAt(make([]byte, more*slotSize), int64(k.slots)*slotSize); err != nil {
		return fmt.Errorf("grow the body keys: %w", err)
	}
	for slot := k.slots + more - 1; slot >= k.slots; slot-- {
		k.free = append(k.free, slot)
	}
	k.slots += more
	return nil
}
