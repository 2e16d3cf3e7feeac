package queue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge"
	"galla/edge/queue/stored"
	"galla/shared/seal"
)

// The journal makes a change durable with one write and one sync. A transaction of
// bbolt takes two syncs in a row, 20 to 40 ms on a shop's hard disk, while a
// customer waits. So the writer appends what operations have become to the journal
// and answers; at rest it writes the same into the bbolt file (flush), and the
// journal starts anew. Open writes what a crash left in it.
//
// The file never changes its size, so a sync writes data only. An entry is a head
// of 16 bytes (number, length, CRC-32 of both), the sealed content, and zeros up to
// the next multiple of 64; the head of the place after it is zero. So the head of a
// written entry lies in one sector, and a place that is neither zero nor an entry
// was damaged, or torn by a power cut. Numbers rise by one and never come twice; the
// state in the bbolt file has the last one that it holds.
const (
	journalSize = 512 << 10
	entryHead   = 16
	entryAlign  = 64
)

// errNoRoom reports that an entry does not fit into the journal.
var errNoRoom = errors.New("the journal has no room")

// journal is the open file. Only the writer uses it.
type journal struct {
	f    *os.File
	box  *seal.Box // of the main key
	size int64     // 0: it has no space on the disk, and nothing fits
	next int64     // where the next entry goes
	seq  uint64    // of the last entry
}

// entry is the content of one entry.
type entry struct {
	Seq    uint64 `json:"-"`
	Cursor int64  `json:"cursor,omitzero"` // 0: unchanged
	Puts   []put  `json:"puts,omitzero"`
}

// put is an operation as it became.
type put struct {
	Record jsontext.Value `json:"record"`        // stored.Encode
	Body   []byte         `json:"body,omitzero"` // sealed under its own key; nil: unchanged, or none
}

// openJournal opens the journal of a queue file, or creates it. On a full disk it
// has no space.
func openJournal(path string, box *seal.Box) (*journal, error) {
	f, err := os.OpenFile(path+journalSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{f: f, box: box, size: journalSize}
	info, err := f.Stat()
	if err == nil && info.Size() < journalSize {
		_, err = f.WriteAt(make([]byte, journalSize-info.Size()), info.Size())
		err = errors.Join(err, f.Sync())
	}
	if isFull(err) {
		j.size, err = 0, nil
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make the queue's journal: %w", err), f.Close())
	}
	return j, nil
}

// append writes an entry and returns when it is durable. After an error other than
// errNoRoom the entry may be in the file: its number is used up, and nothing fits
// until restart.
func (j *journal) append(e entry) error {
	plain, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write an entry of the journal as JSON: %w", err)
	}
	sealed, err := j.box.Seal(plain, journalContext(j.seq+1)...)
	if err != nil {
		return err
	}
	length := int64(entryHead+len(sealed)+entryAlign-1) / entryAlign * entryAlign
	if j.next+length+entryAlign > j.size {
		return errNoRoom
	}
	j.seq++
	place := make([]byte, length+entryAlign)
	binary.BigEndian.PutUint64(place, j.seq)
	binary.BigEndian.PutUint32(place[8:], uint32(len(sealed)))
	binary.BigEndian.PutUint32(place[12:], crc32.ChecksumIEEE(place[:12]))
	copy(place[entryHead:], sealed)
	if _, err = j.f.WriteAt(place, j.next); err == nil {
		err = syncData(j.f)
	}
	if err != nil {
		j.next = j.size
		return fmt.Errorf("write the journal: %w", err)
	}
	j.next += length
	return nil
}

// restart begins at the start of the file again: the bbolt file holds every entry.
func (j *journal) restart() { j.next = 0 }

// clear forgets all entries: they are of another queue file.
func (j *journal) clear() error {
	j.next, j.seq = 0, 0
	if j.size == 0 {
		return nil
	}
	if _, err := j.f.WriteAt(make([]byte, j.size), 0); err != nil {
		return fmt.Errorf("clear the journal: %w", err)
	}
	return syncData(j.f)
}

// readJournal returns the entries after a number, in order. torn: there is another
// one that can't be read: a power cut prevented it, or it is damaged.
func readJournal(f io.ReaderAt, box *seal.Box, after uint64) (entries []entry, torn bool, err error) {
	data, err := io.ReadAll(io.NewSectionReader(f, 0, journalSize))
	if err != nil {
		return nil, false, fmt.Errorf("read the journal: %w", err)
	}
	for last := uint64(0); len(data) >= entryHead; {
		seq, length := binary.BigEndian.Uint64(data), int(binary.BigEndian.Uint32(data[8:]))
		if [entryHead]byte(data) == [entryHead]byte{} {
			return entries, false, nil
		}
		known := crc32.ChecksumIEEE(data[:12]) == binary.BigEndian.Uint32(data[12:]) && (last == 0 || seq == last+1)
		if known && seq <= after && length <= len(data)-entryHead { // in the bbolt file; no matter whether it opens
			last, data = seq, data[min(entryPlace(length), len(data)):]
			continue
		}
		if !known || length > len(data)-entryHead {
			return entries, true, nil
		}
		plain, err := box.Open(data[entryHead:entryHead+length], journalContext(seq)...)
		e := entry{Seq: seq}
		if err != nil || json.Unmarshal(plain, &e) != nil {
			return entries, true, nil
		}
		entries = append(entries, e)
		last, data = seq, data[min(entryPlace(length), len(data)):]
	}
	return entries, false, nil
}

// entryPlace is the size of an entry with its head and the zeros after it, in bytes.
func entryPlace(sealed int) int {
	return (entryHead + sealed + entryAlign - 1) / entryAlign * entryAlign
}

func journalContext(seq uint64) [][]byte {
	return [][]byte{[]byte("journal"), binary.BigEndian.AppendUint64(nil, seq)}
}

// waiting is an operation that is in the journal and not in the bbolt file yet.
type waiting struct {
	put    put // its body is of the last change of the body that waits
	record edge.Record
}

// newPut encodes what an operation became, and opens it again: readers get it as
// they would from the file.
func (q *Queue) newPut(c change) (put, edge.Record, error) {
	slot, r := 0, *c.put
	p := put{}
	if r.Body != nil {
		key, ok := q.keys.get(r.ID)
		if !ok {
			return p, r, fmt.Errorf("write operation %s: its body has no key", r.ID)
		}
		slot = key.slot
		if c.body {
			var err error
			if p.Body, err = key.box.Seal(r.Body, sealContext(inBodies, string(r.ID))...); err != nil {
				return p, r, err
			}
		}
	}
	plain, err := stored.Encode(r, slot)
	if err != nil {
		return p, r, err
	}
	p.Record = plain
	known, _, err := stored.Decode(plain)
	known.Body = r.Body
	return p, known, err
}
