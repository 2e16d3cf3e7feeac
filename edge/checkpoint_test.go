package edge

import (
	"bytes"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"galla/shared/checkpoint"
	"galla/shared/secret"
	"galla/shared/wire"
)

// signedLog is a log that grows in memory, and signs its heads.
type signedLog struct {
	t      *testing.T
	seed   secret.Key
	id     string
	hashes []tlog.Hash
	size   int64
}

func (l *signedLog) reader() tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		list := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			list[i] = l.hashes[index]
		}
		return list, nil
	})
}

func (l *signedLog) grow(leaves ...string) {
	l.t.Helper()
	for _, leaf := range leaves {
		made, err := tlog.StoredHashes(l.size, []byte(leaf), l.reader())
		if err != nil {
			l.t.Fatal(err)
		}
		l.hashes, l.size = append(l.hashes, made...), l.size+1
	}
}

// welcome is the welcome of a central to a terminal that keeps the tree of a size.
func (l *signedLog) welcome(epoch, kept int64) wire.Frame {
	l.t.Helper()
	signer, err := checkpoint.NewSigner(l.seed)
	if err != nil {
		l.t.Fatal(err)
	}
	root, err := tlog.TreeHash(l.size, l.reader())
	if err != nil {
		l.t.Fatal(err)
	}
	text, err := signer.Sign(checkpoint.Checkpoint{Log: l.id, Epoch: epoch, Size: l.size, Root: root, At: time.UnixMilli(1_795_000_000_000 + l.size)})
	if err != nil {
		l.t.Fatal(err)
	}
	key, err := checkpoint.PublicKey(l.seed)
	if err != nil {
		l.t.Fatal(err)
	}
	f := wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8, Log: text, LogKey: key}
	if kept > 0 && kept < l.size {
		proof, err := tlog.ProveTree(l.size, kept, l.reader())
		if err != nil {
			l.t.Fatal(err)
		}
		f.LogProof = checkpoint.Proof(proof).Texts()
	}
	return f
}

func newSignedLog(t *testing.T, id string, leaves ...string) *signedLog {
	l := &signedLog{t: t, seed: secret.NewKey(bytes.Repeat([]byte{5}, 32)), id: id}
	l.grow(leaves...)
	return l
}

// TestKeepsTheLog: a counter keeps the newest checkpoint that continues its own, and shows one
// that does not until the log has its past again.
func TestKeepsTheLog(t *testing.T) {
	log := newSignedLog(t, "log1", "a", "b", "c")
	first := log.welcome(0, 0)
	log.grow("d", "e")
	second := log.welcome(0, 3)
	other := newSignedLog(t, "log1", "a", "B", "c", "d", "e", "f")
	thief := newSignedLog(t, "log1", "a", "b", "c", "d", "e", "f")
	unsigned := thief.welcome(0, 5)
	unsigned.Log = first.Log[:len(first.Log)-8] + "AAAAAAA\n"
	short := newSignedLog(t, "log1", "a", "b")
	bad := second
	bad.LogProof = []string{"no hash"}
	for _, c := range []struct {
		name    string
		welcome wire.Frame
		fork    bool
		kept    string
	}{
		{"continued", second, false, second.Log},
		{"another past", other.welcome(0, 3), true, first.Log},
		{"without a proof", func() wire.Frame { f := second; f.LogProof = nil; return f }(), true, first.Log},
		{"a proof that can't be read", bad, true, first.Log},
		{"cut off", short.welcome(0, 0), true, first.Log},
		{"another log", newSignedLog(t, "log2", "a", "b", "c", "d").welcome(0, 3), true, first.Log},
		{"not signed", unsigned, true, first.Log},
		{"restored from a backup", short.welcome(1, 0), false, short.welcome(1, 0).Log},
		{"the same again", first, false, first.Log},
		{"nothing new", wire.Frame{T: wire.TWelcome, Clock: 1, Window: 8}, false, first.Log},
	} {
		t.Run(c.name, func(t *testing.T) {
			withTestCounter(t, func(t *testing.T, h *testCounter) {
				say := func(f wire.Frame) {
					t.Helper()
					if err := h.c.Welcome(f); err != nil {
						t.Fatal(err)
					}
				}
				say(first)
				say(c.welcome)
				shown := false
				for _, w := range h.c.Status().Warnings {
					shown = shown || w.Kind == WarningLogFork
				}
				if shown != c.fork {
					t.Errorf("a fork is shown: %v", shown)
				}
				hello, err := h.c.Hello()
				if err != nil || hello.Log != c.kept {
					t.Errorf("it keeps %q, %v", hello.Log, err)
				}
				if !c.fork {
					return
				}
				h.c.logFork = false
				if h.c.loadFork(); !h.c.logFork {
					t.Error("a restart forgets the fork")
				}
				say(second)
				if len(h.c.Status().Warnings) != 0 {
					t.Error("the fork is shown although the log has its past again")
				}
			})
		})
	}
}
