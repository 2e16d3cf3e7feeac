package transparency

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

// tileHeight is the height of stored tiles: 256 hashes of 32 bytes, 8 KiB.
const tileHeight = 8

// Tile is a part of the tree's hashes as they are stored. The last tile of a level may have
// fewer than 256 hashes; it is replaced as it grows.
type Tile struct {
	Level int // 0: the leaves
	At    int64
	Data  []byte
}

// readTile reads a stored tile.
type readTile func(level int, at int64) ([]byte, error)

// stored reads hashes from tiles, each tile once, and from those that were just made.
type stored struct {
	read  readTile
	tiles map[[2]int64][]byte
	made  map[int64]tlog.Hash // by stored hash index
}

func newStored(read readTile) *stored {
	return &stored{read, map[[2]int64][]byte{}, map[int64]tlog.Hash{}}
}

// ReadHashes implements tlog.HashReader.
func (s *stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		h, ok := s.made[index]
		if !ok {
			var err error
			if h, err = s.readHash(index); err != nil {
				return nil, err
			}
		}
		list[i] = h
	}
	return list, nil
}

func (s *stored) readHash(index int64) (tlog.Hash, error) {
	t := tlog.TileForIndex(tileHeight, index)
	at := [2]int64{int64(t.L), t.N}
	data, ok := s.tiles[at]
	if !ok {
		var err error
		if data, err = s.read(t.L, t.N); err != nil {
			return tlog.Hash{}, err
		}
		s.tiles[at] = data
	}
	if len(data) < t.W*tlog.HashSize {
		return tlog.Hash{}, fmt.Errorf("tile %d of level %d of the log has %d hashes and should have %d", t.N, t.L, len(data)/tlog.HashSize, t.W)
	}
	return tlog.HashFromTile(t, data[:t.W*tlog.HashSize], index)
}

// grow adds leaves to a tree of a size, and returns the tiles that have new hashes, and the
// hash of the new tree.
func grow(read readTile, size int64, leaves [][]byte) (tiles []Tile, root tlog.Hash, err error) {
	s := newStored(read)
	to := size
	for _, leaf := range leaves {
		hashes, err := tlog.StoredHashes(to, leaf, s)
		if err != nil {
			return nil, root, fmt.Errorf("read the log's tree: %w", err)
		}
		first := tlog.StoredHashIndex(0, to)
		for i, h := range hashes {
			s.made[first+int64(i)] = h
		}
		to++
	}
	for _, t := range tlog.NewTiles(tileHeight, size, to) {
		data, err := tlog.ReadTileData(t, s)
		if err != nil {
			return nil, root, fmt.Errorf("read the log's tree: %w", err)
		}
		tiles = append(tiles, Tile{Level: t.L, At: t.N, Data: data})
	}
	root, err = tlog.TreeHash(to, s)
	return tiles, root, err
}

// frontier is the tree of the leaves so far, by its complete subtrees, the largest first. It
// gives the same hashes as tlog.TreeHash and needs no stored ones.
type frontier struct {
	size  int64
	nodes []tlog.Hash
}

func (f *frontier) add(leaf tlog.Hash) {
	f.nodes = append(f.nodes, leaf)
	f.size++
	for n := f.size; n&1 == 0; n >>= 1 {
		last := len(f.nodes) - 1
		f.nodes = append(f.nodes[:last-1], tlog.NodeHash(f.nodes[last-1], f.nodes[last]))
	}
}

func (f *frontier) root() (h tlog.Hash) {
	if len(f.nodes) == 0 {
		h, _ = tlog.TreeHash(0, nil) // of no leaves it reads nothing, and does not fail
		return h
	}
	h = f.nodes[len(f.nodes)-1]
	for i := len(f.nodes) - 2; i >= 0; i-- {
		h = tlog.NodeHash(f.nodes[i], h)
	}
	return h
}
