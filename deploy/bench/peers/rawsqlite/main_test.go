//go:build linux

package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"galla/deploy/bench/rows"
)

// TestWriter lets callers write rows, and looks at them.
func TestWriter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "raw.db")
	db, err := sql.Open("sqlite3", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.Exec(`CREATE TABLE operations (id TEXT NOT NULL PRIMARY KEY, reply BLOB, amount INTEGER) STRICT`); err != nil {
		t.Fatal(err)
	}
	id, amount := "operation-ABCDEFGHJK", int64(7)
	text := func() rows.Value { return rows.Value{Text: &id} }
	w, err := open(file, rows.Plan{Fresh: []string{id}, Commits: [][]rows.Statement{
		{{SQL: "INSERT INTO operations (id, amount) VALUES (?, ?)", Args: []rows.Value{text(), {Int: &amount}}}},
		{{SQL: "UPDATE operations SET reply = ? WHERE id = ?", Args: []rows.Value{{Blob: []byte("<" + id + ">"), Bytes: true}, text()}}},
	}}, 3)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- w.run() }()
	for number := range int64(20) {
		for commit := range 2 {
			j := &job{commit: commit, number: number, done: make(chan error, 1)}
			w.queue <- j
			if err := <-j.done; err != nil {
				t.Fatal(err)
			}
		}
	}
	close(w.queue)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for number := range int64(20) {
		want := fmt.Sprintf("operation-%010d", rows.Scramble(number))
		var reply string
		if err := db.QueryRow(`SELECT reply FROM operations WHERE id = ? AND amount = 7`, want).Scan(&reply); err != nil || reply != "<"+want+">" {
			t.Errorf("%s: %q, %v", want, reply, err)
		}
	}
}
