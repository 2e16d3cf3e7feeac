package queue

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"galla/edge/queue/disk"
	"galla/edge/queue/stored"
	"galla/shared/op"
	"galla/shared/seal"
	"galla/shared/secret"
)

// The keys file: slots of 64 bytes, so that none crosses a sector and each is
// written whole or not at all. Slot 0 is the head; slot n holds the key of one
// body, sealed under the main key for its slot and operation; zeros are free.
const (
	slotSize  = 64
	slotChunk = 64 // slots by which the file grows: 4 KiB at once, so that its size seldom changes
	maxSlots  = stored.MaxSlots
)

// slotsHead marks a keys file whose queue file was made.
const slotsHead = "galla queue keys 1\n"

// lockPause is the wait between two looks at a locked file.
const lockPause = 50 * time.Millisecond

// errNoSlot says that there are maxSlots operations without an end.
var errNoSlot = errors.New("too many operations without an end")

// bodyKey is the key of one body.
type bodyKey struct {
	slot int
	box  *seal.Box
}

// keys is the open keys file, locked against other processes. Reading may be
// done by many; all else by the writer only.
type keys struct {
	f    *os.File
	box  *seal.Box // of the main key
	rand io.Reader

	mu   sync.Mutex
	byID map[op.ID]bodyKey

	slots int   // in the file, the head among them
	free  []int // slots that hold zeros, the lowest last
	dirty []int // slots whose wiping failed; tried again
}

// openKeys opens and locks the keys file, waiting up to wait for another
// process to leave it.
func openKeys(path string, wait time.Duration) (*os.File, error) {
	for tried := time.Duration(0); ; tried += lockPause {
		f, err := disk.OpenExclusive(path)
		if !errors.Is(err, ErrLocked) || tried >= wait {
			return f, err
		}
		<-time.After(lockPause)
	}
}

// marked tells whether the keys file says that its queue file was made.
func marked(f *os.File) bool {
	head := make([]byte, len(slotsHead))
	_, err := f.ReadAt(head, 0)
	return err == nil && string(head) == slotsHead
}

// read loads the keys of the given operations from their slots and wipes every
// other one: those were left by a crash between two fsyncs. It gives the
// operations whose key is not in its slot.
func (k *keys) read(want map[op.ID]int) (lost []op.ID, err error) {
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

// open reads one key out of the file's content.
func (k *keys) open(data []byte, slot int, id op.ID) (*seal.Box, bool) {
	if slot < 1 || (slot+1)*slotSize > len(data) {
		return nil, false
	}
	sealed := bytes.TrimSuffix(data[slot*slotSize:(slot+1)*slotSize], make([]byte, slotSize-sealedKey))
	raw, err := k.box.Open(sealed, slotPlace(slot, id)...)
	if err != nil {
		return nil, false
	}
	box, err := seal.New(secret.NewKey(raw), k.rand)
	return box, err == nil
}

// sealedKey is the size of a sealed key in its slot.
const sealedKey = 1 + 12 + seal.KeySize + 16

func slotPlace(slot int, id op.ID) [][]byte {
	return [][]byte{[]byte("body key"), binary.BigEndian.AppendUint32(nil, uint32(slot)), []byte(id)}
}

// of gives the key of an operation's body.
func (k *keys) of(id op.ID) (bodyKey, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, ok := k.byID[id]
	return b, ok
}

// take makes a key for an operation's body and writes it into a free slot. It
// is durable after sync.
func (k *keys) take(id op.ID) (bodyKey, error) {
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
	sealed, err := k.box.Seal(raw, slotPlace(slot, id)...)
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

// grow adds free slots to the file.
func (k *keys) grow() error {
	more := min(slotChunk-k.slots%slotChunk, maxSlots-k.slots)
	if more <= 0 {
		return errNoSlot
	}
	if _, err := k.f.WriteAt(make([]byte, more*slotSize), int64(k.slots)*slotSize); err != nil {
		return fmt.Errorf("make room for body keys: %w", err)
	}
	for slot := k.slots + more - 1; slot >= k.slots; slot-- {
		k.free = append(k.free, slot)
	}
	k.slots += more
	return nil
}

func (k *keys) sync() error {
	if err := k.f.Sync(); err != nil {
		return fmt.Errorf("make body keys durable: %w", err)
	}
	return nil
}

// wipe takes the keys of operations out of memory and wipes their slots, for
// good when it returns nil. What can't be wiped now is tried again with the next
// call, and by the next Open.
func (k *keys) wipe(ids []op.ID) error {
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
