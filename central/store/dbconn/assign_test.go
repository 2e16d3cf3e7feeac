package dbconn

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
)

type (
	text   string
	number int64
	small  int8
	flag   bool
	digest [4]byte
	blob   []byte
)

// ptr returns a new variable with a value, which a test sees replaced.
func ptr[T any](v T) any { return &v }

func TestAssign(t *testing.T) {
	word, amount := "x", number(7)
	moment := time.Date(2026, 11, 21, 10, 30, 0, 123_000_000, time.UTC)
	sum := [32]byte(bytes.Repeat([]byte{7}, 32))
	for _, c := range []struct {
		to, value, want any
	}{
		{ptr("old"), "new", "new"}, {ptr("old"), nil, ""},
		{ptr(int64(1)), int64(-5), int64(-5)}, {ptr(1), int64(9), 9},
		{ptr(false), int64(1), true}, {ptr(true), int64(0), false},
		{ptr(time.Time{}), moment.UnixMilli(), moment}, {ptr(moment), nil, time.Time{}},
		{ptr([32]byte{}), sum[:], sum},
		{ptr([]byte("old")), []byte("new"), []byte("new")}, {ptr([]byte("old")), nil, []byte(nil)},
		{ptr(text("old")), "new", text("new")}, {ptr(text("old")), nil, text("")},
		{ptr(number(1)), int64(7), number(7)}, {ptr(flag(false)), int64(1), flag(true)},
		{ptr(digest{}), []byte("abcd"), digest([]byte("abcd"))}, {ptr(blob("old")), []byte("new"), blob("new")}, {ptr(blob("old")), nil, blob(nil)},
		{ptr((*string)(nil)), "x", &word}, {ptr(&word), nil, (*string)(nil)}, {ptr((*number)(nil)), int64(7), &amount},
	} {
		if err := Assign(c.to, c.value); err != nil {
			t.Errorf("%T from %T: %v", c.to, c.value, err)
		} else if got := reflect.ValueOf(c.to).Elem().Interface(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T from %v: got %v, want %v", c.to, c.value, got, c.want)
		}
	}
}

// TestAssignRefuses what a variable cannot have, and NULL where it would look like a value.
func TestAssignRefuses(t *testing.T) {
	for _, c := range []struct{ to, value any }{
		{ptr(""), int64(1)}, {ptr(int64(0)), nil}, {ptr(0), nil}, {ptr(int64(0)), "1"}, {ptr(false), nil}, {ptr(time.Time{}), "now"},
		{ptr([32]byte{}), []byte("short")}, {ptr([32]byte{}), nil}, {ptr([]byte(nil)), "text"},
		{ptr(small(0)), int64(128)}, {ptr(number(0)), nil}, {ptr(flag(false)), nil}, {ptr(digest{}), []byte("abc")}, {ptr(text("")), []byte("a")},
		{ptr(struct{}{}), "x"}, {ptr((*number)(nil)), "x"},
	} {
		if err := Assign(c.to, c.value); err == nil || !strings.Contains(err.Error(), "is stored as") {
			t.Errorf("%T from %T: error %v", c.to, c.value, err)
		}
	}
	if err := AssignAll([]any{ptr("")}, []any{"a", "b"}); err == nil {
		t.Error("two columns were read into one variable")
	}
}

// TestScannersCopyBytes: a driver may use the bytes of a row again.
func TestScannersCopyBytes(t *testing.T) {
	var to blob
	given := []byte("abc")
	if err := Scanners([]any{&to})[0].(interface{ Scan(any) error }).Scan(given); err != nil {
		t.Fatal(err)
	}
	given[0] = 'x'
	if string(to) != "abc" {
		t.Errorf("the bytes are %q", to)
	}
	n := new(int64)
	if got := Scanners([]any{n})[0]; got != any(n) {
		t.Errorf("a number is scanned by %T", got)
	}
}

// TestAssignAllocates little: only pointers that it makes.
func TestAssignAllocates(t *testing.T) {
	var s string
	var n int64
	var at time.Time
	var b bool
	dest, values := []any{&s, &n, &at, &b}, []any{"text", int64(1 << 40), int64(1 << 40), int64(1)}
	if got := testing.AllocsPerRun(100, func() { _ = AssignAll(dest, values) }); got != 0 {
		t.Errorf("%v allocations for a row of common types", got)
	}
}
