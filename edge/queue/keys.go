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
// main key. When the operation ends, the slot is overwritten with zeros and
// fsynced; Open wipes slots that a power cut left. Old copies of a slot may remain
// on storage that does not overwrite in place (flash, btrfs, snapshots, backups of
// both files); they need the main key as well.
//
// Slots have 64 bytes, so that none crosses a sector and each is written whole or
// not at all. Slot 0 is the head; slot n holds the key of one body, sealed for its
// slot and operation; zeros are free.
const (
	slotSize  = 64
	slotChunk = 64 // slots by which the file grows: 4 KiB at once, so that its size seldom changes
	maxSlots  = stored.MaxSlots
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

	slots int   // in the file, the head among them
	free  []int // slots that hold zeros, the lowest last
	dirty []int // slots whose wiping failed; retried
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

// load reads the keys of the given operations from their slots and wipes all
// others, which a crash between two fsyncs left. It returns the operations whose
// key is not in its slot.
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
	var leftover []int
	for slot := k.slots - 1; slot > 0; slot-- {
		switch {
		case used[slot]:
		case bytes.Count(data[slot*slotSize:(slot+1)*slotSize], []byte{0}) == slotSize:
			k.free = append(k.free, slot)
		default:
			leftover = append(leftover, slot)
		}
	}
	head := make([]byte, slotSize)
	copy(head, slotsHead)
	if _, err := k.f.WriteAt(head, 0); err != nil {
		return lost, fmt.Errorf("write the head of the body keys: %w", err)
	}
	k.dirty = leftover
	return lost, k.wipe(nil)
}

func (k *bodyKeys) open(data []byte, slot int, id op.ID) (*seal.Box, bool) {
	if slot < 1 || (slot+1)*slotSize > len(data) {
		return nil, false
	}
	sealed := bytes.TrimSuffix(data[slot*slotSize:(slot+1)*slotSize], make([]byte, slotSize-sealedKey))
	raw, err := k.box.Open(sealed, slotContext(slot, id)...)
	if err != nil {
		return nil, false
	}
	box, err := seal.New(secret.NewKey(raw), k.rand)
	return box, err == nil
}

// sealedKey is the size of a sealed key in its slot.
const sealedKey = 1 + 12 + seal.KeySize + 16

func slotContext(slot int, id op.ID) [][]byte {
	return [][]byte{[]byte("body key"), binary.BigEndian.AppendUint32(nil, uint32(slot)), []byte(id)}
}

func (k *bodyKeys) get(id op.ID) (bodyKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, ok := k.byID[id]
	return b, ok
}

// allocate makes a key for an operation's body and writes it into a free slot. It
// is durable after sync.
func (k *bodyKeys) allocate(id op.ID) (bodyKey, error) {
	raw := make([]byte, seal.KeySize)
	if _, err := io.ReadFull(k.rand, raw); err != nil {
		return bodyKey{}, fmt.Errorf("draw a body key: %w", err)
	}
	box, err := seal.New(secret.NewKey(raw), k.rand)
	if err != nil {
		return bodyKey{}, err
	}
	if len(k.free) == 0 {
		if err := k.grow(); err != nil {
			return bodyKey{}, err
		}
	}
	slot := k.free[len(k.free)-1]
	sealed, err := k.box.Seal(raw, slotContext(slot, id)...)
	if err != nil {
		return bodyKey{}, err
	}
	if _, err := k.f.WriteAt(append(sealed, make([]byte, slotSize-len(sealed))...), int64(slot)*slotSize); err != nil {
		return bodyKey{}, fmt.Errorf("write a body key: %w", err)
	}
	k.free = k.free[:len(k.free)-1]
	b := bodyKey{slot, box}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.byID[id] = b
	return b, nil
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

func (k *bodyKeys) sync() error {
	if err := k.f.Sync(); err != nil {
		return fmt.Errorf("make body keys durable: %w", err)
	}
	return nil
}

// wipe takes the keys of operations out of memory and wipes their slots, for
// good when it returns nil. What can't be wiped now is tried again with the next
// call, and by the next Open.
func (k *bodyKeys) wipe(ids []op.ID) error {
	k.mu.Lock()
	for _, id := range ids {
		if b, ok := k.byID[id]; ok {
			k.dirty = append(k.dirty, b.slot)
			delete(k.byID, id)
		}
	}
	k.mu.Unlock()
	if len(k.dirty) == 0 {
		return nil
	}
	for _, slot := range k.dirty {
		if _, err := k.f.WriteAt(make([]byte, slotSize), int64(slot)*slotSize); err != nil {
			return fmt.Errorf("erase a body key: %w", err)
		}
	}
	if err := k.sync(); err != nil {
		return err
	}
	k.free = append(k.free, k.dirty...)
	k.dirty = nil
	return nil
}
