package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// fill makes a bbolt file of three buckets with n values each, some of them
// deleted again.
func fill(t testing.TB, n int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.db")
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		err = errors.Join(err, db.Update(func(tx *bbolt.Tx) error {
			for _, name := range []string{"a", "b", "c"} {
				b, err := tx.CreateBucketIfNotExists([]byte(name))
				if err != nil {
					return err
				}
				if err := b.Put(fmt.Appendf(nil, "key %04d", i*7919%10000), bytes.Repeat([]byte{byte(i)}, i%97)); err != nil {
					return err
				}
				if i%5 == 0 {
					if err := b.Delete(fmt.Appendf(nil, "key %04d", i/2*7919%10000)); err != nil {
						return err
					}
				}
			}
			return nil
		}))
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func verify(data []byte) (Shape, error) { return Verify(bytes.NewReader(data), int64(len(data))) }

// TestHealthyFiles holds Verify against whatever bbolt writes: it must pass, as
// it does with bbolt's own check.
func TestHealthyFiles(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, FreelistType: bbolt.FreelistMapType})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() {
			_ = db.Close()
			_ = os.Remove(path)
		}()
		for range rapid.IntRange(1, 12).Draw(rt, "transactions") {
			if err := db.Update(func(tx *bbolt.Tx) error { return scribble(rt, tx) }); err != nil {
				rt.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				rt.Fatal(err)
			}
			if s, err := verify(data); err != nil || s.MetaLost {
				rt.Fatalf("a healthy file: %v, %+v", err, s)
			}
		}
	})
}

// scribble puts and deletes at random in one transaction.
func scribble(rt *rapid.T, tx *bbolt.Tx) error {
	b, err := tx.CreateBucketIfNotExists(rapid.SampledFrom([][]byte{[]byte("a"), []byte("b")}).Draw(rt, "bucket"))
	if err != nil {
		return err
	}
	for range rapid.IntRange(1, 120).Draw(rt, "changes") {
		key := fmt.Appendf(nil, "%05d", rapid.IntRange(0, 400).Draw(rt, "key"))
		if rapid.IntRange(0, 2).Draw(rt, "delete") == 0 {
			err = b.Delete(key)
		} else {
			err = b.Put(key, make([]byte, rapid.SampledFrom([]int{0, 1, 50, 300, 5000}).Draw(rt, "size")))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func TestLargeFile(t *testing.T) {
	if s, err := verify(fill(t, 700)); err != nil || s.PageSize != os.Getpagesize() {
		t.Errorf("%+v, %v", s, err)
	}
}

// newest gives the number of the newer meta page and a copy with its meta
// altered and signed again.
func resigned(data []byte, alter func(m []byte)) []byte {
	data = slices.Clone(data)
	order, page := binary.NativeEndian, os.Getpagesize()
	m := data[pageHeader:]
	if order.Uint64(data[page+pageHeader+48:]) > order.Uint64(m[48:]) {
		m = data[page+pageHeader:]
	}
	alter(m)
	sum := fnv.New64a()
	_, _ = sum.Write(m[:metaSize-8])
	order.PutUint64(m[metaSize-8:], sum.Sum64())
	return data
}

func TestDamages(t *testing.T) {
	whole := fill(t, 300)
	page, order := os.Getpagesize(), binary.NativeEndian
	set := func(at int, b ...byte) []byte {
		d := slices.Clone(whole)
		copy(d[at:], b)
		return d
	}
	root := func(d []byte) int { // where the root page begins
		m := d[pageHeader:]
		if order.Uint64(d[page+pageHeader+48:]) > order.Uint64(m[48:]) {
			m = d[page+pageHeader:]
		}
		return int(order.Uint64(m[16:])) * page
	}(whole)
	for name, data := range map[string][]byte{
		"nothing":              nil,
		"a head":               whole[:40],
		"both metas":           append(make([]byte, 2*page), whole[2*page:]...),
		"short":                whole[:5*page],
		"root out of bounds":   resigned(whole, func(m []byte) { order.PutUint64(m[16:], 1<<40) }),
		"root is a meta":       resigned(whole, func(m []byte) { order.PutUint64(m[16:], 1) }),
		"root is the list":     resigned(whole, func(m []byte) { copy(m[16:24], m[32:40]) }),
		"list out of bounds":   resigned(whole, func(m []byte) { order.PutUint64(m[32:], 1<<63) }),
		"water mark too high":  resigned(whole, func(m []byte) { order.PutUint64(m[40:], 1<<50) }),
		"water mark too low":   resigned(whole, func(m []byte) { order.PutUint64(m[40:], 2) }),
		"page names another":   set(root, 0xee),
		"page of no kind":      set(root+8, 0x80),
		"more elements":        set(root+10, 0xff, 0xff),
		"fewer elements":       set(root+10, 0),
		"endless overflow":     set(root+12, 0xff, 0xff, 0xff, 0xff),
		"element is no bucket": set(root+pageHeader, 0),
		"element elsewhere":    set(root+pageHeader+4, 0xff, 0xff),
		"element without key":  set(root+pageHeader+8, 0),
		"endless value":        set(root+pageHeader+12, 0xff, 0xff, 0xff, 0x7f),
	} {
		var d *Damage
		if _, err := verify(data); !errors.As(err, &d) || d.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for at := range 2 {
		if s, err := verify(set(at*page+pageHeader+20, 0xee, 0xee)); err != nil && !s.MetaLost || !s.MetaLost {
			t.Errorf("meta page %d is damaged: %+v, %v", at, s, err)
		}
	}
}

// FuzzVerify damages a healthy file. What Verify lets pass must do no harm to
// bbolt: no panic, no fault, and nothing that its own check finds.
func FuzzVerify(f *testing.F) {
	whole := fill(f, 120)
	f.Add(uint32(0), uint64(0), uint32(0), uint64(0))
	f.Add(uint32(4096*3+8), uint64(1), uint32(4096*4+10), uint64(0xff00))
	f.Add(uint32(4096+40), uint64(1), uint32(4096*5+24), uint64(1))
	f.Fuzz(func(t *testing.T, at1 uint32, with1 uint64, at2 uint32, with2 uint64) {
		data := slices.Clone(whole)
		for _, c := range []struct {
			at   uint32
			with uint64
		}{{at1, with1}, {at2, with2}} {
			at := int(c.at) % (len(data) - 8)
			binary.NativeEndian.PutUint64(data[at:], binary.NativeEndian.Uint64(data[at:])^c.with)
		}
		if _, err := verify(data); err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), "b.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		err = db.View(func(tx *bbolt.Tx) error {
			var found []error
			for err := range tx.Check() {
				found = append(found, err)
			}
			return errors.Join(found...)
		})
		if err != nil {
			t.Fatalf("Verify passed it: %v", err)
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
				if k, _ := b.Cursor().First(); k != nil {
					if err := b.Delete(slices.Clone(k)); err != nil {
						return err
					}
				}
				return b.Put([]byte("key 5000"), make([]byte, 3000))
			})
		})
		if err != nil {
			t.Fatalf("Verify passed it: %v", err)
		}
	})
}
