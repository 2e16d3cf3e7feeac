// Package pages verifies the structure of a bbolt file without bbolt.
//
// bbolt has no checksums on its pages and believes what it maps: a damaged page
// number makes it read outside the file or for ever, and neither can be
// recovered from, in its own check either, which runs in a goroutine of its
// own. So a file is read here first, with every number taken for a lie: each
// page below the high water mark must be reachable once or free once, elements
// must lie in their pages, keys must be in order, and the file must hold buckets
// of plain values, with no bucket inside another, as the queue's does. What
// passes can be given to bbolt.
//
// Bytes enter through an io.ReaderAt; a verdict leaves. Nothing is said about
// the values: those have seals of their own.
package pages

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
)

// The Shape of a bbolt file, version 2. Numbers are in the byte order of the
// machine that wrote it.
//
//	page      id u64, flags u16, count u16, overflow u32, elements…
//	meta      after the page header: magic, version, page size, flags u32;
//	          root bucket u64 and its sequence u64; freelist, high water mark,
//	          transaction u64; FNV-1a of all before it u64
//	branch    element: position, key size u32; page u64
//	leaf      element: flags, position, key size, value size u32
//	bucket    value: root page u64, sequence u64; a small one holds its page itself
const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	pageHeader  = 16
	elementSize = 16
	metaSize    = 64 // with its checksum
	bucketHead  = 16

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagMeta     = 0x04
	flagFreelist = 0x10
	flagBucket   = 0x01 // of a leaf element

	noFreelist     = ^uint64(0)
	countElsewhere = 0xFFFF // a freelist's count stands in its first element

	minPage  = 1 << 10
	maxPage  = 64 << 10
	maxKey   = 32 << 10
	maxDepth = 32 // a tree of two keys a page that deep has four billion of them
)

// Shape is what Verify learned.
type Shape struct {
	PageSize int // bytes
	// MetaLost says that one of the two meta pages is damaged. If it was the
	// newer one, the file is as it was before its last transaction.
	MetaLost bool
}

// Damage is what a file must not be used for; the text says what was found.
type Damage struct{ Found string }

func (d *Damage) Error() string { return d.Found }

func damaged(format string, args ...any) error { return &Damage{fmt.Sprintf(format, args...)} }

// Verify reads the structure of the file of size bytes behind r. Its only error
// is *Damage; a file that can't be read is damaged too. Nobody may write the
// file meanwhile.
func Verify(r io.ReaderAt, size int64) (Shape, error) {
	m, s, err := readMeta(r, size)
	if err != nil {
		return s, err
	}
	v := &verifier{r: r, pageSize: s.PageSize, hwm: m.hwm}
	if m.hwm < 4 || m.hwm > uint64(size)/uint64(s.PageSize) {
		return s, damaged("the file is shorter than its contents: %d pages of %d", uint64(size)/uint64(s.PageSize), m.hwm)
	}
	for id := range int64(2) { // their content may be lost, their heads not: bbolt's check reads both
		var head [pageHeader]byte
		if _, err := r.ReadAt(head[:], id*int64(s.PageSize)); err != nil || binary.NativeEndian.Uint64(head[:]) != uint64(id) || binary.NativeEndian.Uint16(head[8:]) != flagMeta {
			return s, damaged("meta page %d has a damaged head", id)
		}
	}
	v.seen = make([]bool, m.hwm)
	v.seen[0], v.seen[1] = true, true
	if err := v.free(m.freelist); err != nil {
		return s, err
	}
	if _, err := v.tree(m.root, span{}, 0, v.bucket); err != nil {
		return s, err
	}
	for id, ok := range v.seen {
		if !ok && m.freelist != noFreelist {
			return s, damaged("page %d is neither used nor free", id)
		}
	}
	return s, nil
}

// meta is what a meta page says.
type meta struct{ root, freelist, hwm, txid uint64 }

// readMeta finds the newer of the valid meta pages.
func readMeta(r io.ReaderAt, size int64) (meta, Shape, error) {
	first, pageSize, ok := metaAt(r, 0)
	if !ok {
		for try := int64(minPage); try <= maxPage && try < size; try *= 2 {
			if m, written, ok := metaAt(r, try); ok && int64(written) == try {
				return m, Shape{PageSize: written, MetaLost: true}, nil
			}
		}
		return meta{}, Shape{}, damaged("both meta pages are damaged, or this is no queue file")
	}
	second, written, ok := metaAt(r, int64(pageSize))
	s := Shape{PageSize: pageSize, MetaLost: !ok || written != pageSize}
	if !s.MetaLost && second.txid > first.txid {
		return second, s, nil
	}
	return first, s, nil
}

func metaAt(r io.ReaderAt, at int64) (m meta, pageSize int, ok bool) {
	var b [pageHeader + metaSize]byte
	if _, err := r.ReadAt(b[:], at); err != nil {
		return m, 0, false
	}
	body, order := b[pageHeader:], binary.NativeEndian
	sum := fnv.New64a()
	_, _ = sum.Write(body[:metaSize-8])
	if order.Uint32(body) != boltMagic || order.Uint32(body[4:]) != boltVersion || order.Uint64(body[metaSize-8:]) != sum.Sum64() {
		return m, 0, false
	}
	pageSize = int(order.Uint32(body[8:]))
	if pageSize < minPage || pageSize > maxPage || pageSize&(pageSize-1) != 0 {
		return m, 0, false
	}
	m = meta{root: order.Uint64(body[16:]), freelist: order.Uint64(body[32:]), hwm: order.Uint64(body[40:]), txid: order.Uint64(body[48:])}
	return m, pageSize, true
}

type verifier struct {
	r        io.ReaderAt
	pageSize int
	hwm      uint64
	seen     []bool // page is used or free
}

// span bounds the keys below a page: low ≤ key < high; nil is no bound.
type span struct{ low, high []byte }

func (s span) holds(key []byte) bool {
	return (s.low == nil || bytes.Compare(key, s.low) >= 0) && (s.high == nil || bytes.Compare(key, s.high) < 0)
}

// take marks a page as used or free, once.
func (v *verifier) take(id uint64) error {
	if id < 2 || id >= v.hwm {
		return damaged("page %d is out of bounds", id)
	}
	if v.seen[id] {
		return damaged("page %d is used twice, or used and free", id)
	}
	v.seen[id] = true
	return nil
}

// page reads a page with what it overflows into.
func (v *verifier) page(id uint64) (flags, count uint16, data []byte, err error) {
	if id < 2 || id >= v.hwm {
		return 0, 0, nil, damaged("page %d is out of bounds", id)
	}
	var head [pageHeader]byte
	at := int64(id) * int64(v.pageSize)
	if _, err := v.r.ReadAt(head[:], at); err != nil {
		return 0, 0, nil, damaged("page %d can't be read: %v", id, err)
	}
	order := binary.NativeEndian
	flags, count = order.Uint16(head[8:]), order.Uint16(head[10:])
	more := uint64(order.Uint32(head[12:]))
	if order.Uint64(head[:]) != id || more >= v.hwm-id {
		return 0, 0, nil, damaged("page %d has a damaged header", id)
	}
	for i := id; i <= id+more; i++ {
		if err := v.take(i); err != nil {
			return 0, 0, nil, err
		}
	}
	data = make([]byte, int(more+1)*v.pageSize)
	if _, err := v.r.ReadAt(data, at); err != nil {
		return 0, 0, nil, damaged("page %d can't be read: %v", id, err)
	}
	return flags, count, data, nil
}

// free reads the list of free pages.
func (v *verifier) free(id uint64) error {
	if id == noFreelist {
		return nil
	}
	flags, short, data, err := v.page(id)
	if err != nil {
		return err
	}
	if flags != flagFreelist {
		return damaged("page %d should be the list of free pages", id)
	}
	count, list := uint64(short), data[pageHeader:]
	if short == countElsewhere {
		count, list = binary.NativeEndian.Uint64(list), list[8:]
	}
	if count > uint64(len(list)/8) {
		return damaged("the list of free pages is damaged")
	}
	for i := range count {
		if err := v.take(binary.NativeEndian.Uint64(list[8*i:])); err != nil {
			return err
		}
	}
	return nil
}

// tree walks the pages of a bucket, gives each element of its leaves, and
// returns the first key.
func (v *verifier) tree(id uint64, keys span, depth int, visit func(flags uint32, value []byte) error) ([]byte, error) {
	if depth > maxDepth {
		return nil, damaged("the tree at page %d is too deep", id)
	}
	flags, count, data, err := v.page(id)
	if err != nil {
		return nil, err
	}
	switch flags {
	case flagLeaf:
		first, err := leaf(data, count, keys, visit)
		if err != nil {
			return nil, damaged("page %d: %v", id, err)
		}
		return first, nil
	case flagBranch:
	default:
		return nil, damaged("page %d should be a branch or a leaf", id)
	}
	w := elements{data: data, next: pageHeader + elementSize*int(count)}
	order := binary.NativeEndian
	var lows [][]byte
	for i := range int(count) {
		at := pageHeader + elementSize*i
		low, _, err := w.take(at, 0, 4, -1)
		if err != nil || !keys.holds(low) || i > 0 && bytes.Compare(lows[i-1], low) >= 0 {
			return nil, damaged("page %d has a damaged element, or keys out of order", id)
		}
		lows = append(lows, low)
	}
	if count == 0 {
		return nil, damaged("page %d is a branch without elements", id)
	}
	for i, low := range lows {
		below := span{low: low, high: keys.high}
		if i+1 < len(lows) {
			below.high = lows[i+1]
		}
		child := order.Uint64(data[pageHeader+elementSize*i+8:])
		first, err := v.tree(child, below, depth+1, visit)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(first, low) {
			return nil, damaged("page %d does not begin with the key that page %d has for it", child, id)
		}
	}
	return lows[0], nil
}

// elements walks the elements of a page. bbolt lays keys and values out without
// a gap, in the order of the elements: anything else is damage.
type elements struct {
	data []byte
	next int // where the next key must begin
}

// take reads the element whose head is at, with its numbers at the given
// offsets from there (value -1: it has none), and gives key and value.
func (w *elements) take(at, pos, key, value int) (k, v []byte, err error) {
	if at+elementSize > len(w.data) {
		return nil, nil, damaged("it says that it has more elements than it can")
	}
	order := binary.NativeEndian
	start, keySize, valueSize := uint64(order.Uint32(w.data[at+pos:])), uint64(order.Uint32(w.data[at+key:])), uint64(0)
	if value >= 0 {
		valueSize = uint64(order.Uint32(w.data[at+value:]))
	}
	start += uint64(at)
	if start != uint64(w.next) || keySize == 0 || keySize > maxKey || start+keySize+valueSize > uint64(len(w.data)) {
		return nil, nil, damaged("it has an element that is not where it must be")
	}
	w.next = int(start + keySize + valueSize)
	return w.data[start : start+keySize], w.data[start+keySize : w.next], nil
}

// leaf walks the elements of a leaf page and returns the first key.
func leaf(data []byte, count uint16, keys span, visit func(flags uint32, value []byte) error) (first []byte, err error) {
	w := elements{data: data, next: pageHeader + elementSize*int(count)}
	var last []byte
	for i := range int(count) {
		at := pageHeader + elementSize*i
		key, value, err := w.take(at, 4, 8, 12)
		if err != nil {
			return nil, err
		}
		if !keys.holds(key) || last != nil && bytes.Compare(last, key) >= 0 {
			return nil, damaged("it has keys out of order")
		}
		if err := visit(binary.NativeEndian.Uint32(data[at:]), value); err != nil {
			return nil, err
		}
		if i == 0 {
			first = key
		}
		last = key
	}
	return first, nil
}

// bucket visits an element of the root: a bucket, which holds plain values only.
func (v *verifier) bucket(flags uint32, value []byte) error {
	if flags != flagBucket || len(value) < bucketHead {
		return damaged("an entry that should be a bucket is none")
	}
	order := binary.NativeEndian
	if root := order.Uint64(value); root != 0 {
		_, err := v.tree(root, span{}, 0, plain)
		return err
	}
	inline := value[bucketHead:]
	if len(inline) < pageHeader || order.Uint16(inline[8:]) != flagLeaf {
		return damaged("a small bucket is damaged")
	}
	_, err := leaf(inline, order.Uint16(inline[10:]), span{}, plain)
	return err
}

func plain(flags uint32, _ []byte) error {
	if flags != 0 {
		return damaged("an entry that should be a value is none")
	}
	return nil
}
