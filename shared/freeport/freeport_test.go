//go:build unix

package freeport

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// Many ask at once, and no two have the same; what was given can be listened on.
func TestEachHasItsOwn(t *testing.T) {
	var mu sync.Mutex
	given := map[string]bool{}
	var asking sync.WaitGroup
	for range 200 {
		asking.Go(func() {
			address := For(t)
			mu.Lock()
			defer mu.Unlock()
			if given[address] {
				t.Errorf("%s was given twice", address)
			}
			given[address] = true
		})
	}
	asking.Wait()
	for address := range given {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = l.Close()
	}
}

func TestReleased(t *testing.T) {
	address, release, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	again := func() error {
		lock, number := open(t, port)
		defer func() { _ = lock.Close() }()
		return lockPort(lock, number)
	}
	if err := again(); err == nil {
		t.Errorf("%s was taken, and could be taken again", address)
	}
	release()
	if err := again(); err != nil {
		t.Errorf("%s was released, and can't be taken: %v", address, err)
	}
}

func open(t *testing.T, port string) (*os.File, int) {
	t.Helper()
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(locks, port), os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return lock, number
}
