package ui_test

import (
	"testing"

	"galla/edge/ui"
)

func TestRecent(t *testing.T) {
	r := ui.NewRecent[string, int](2)
	for i, key := range []string{"a", "b", "a", "c"} {
		r.Put(key, i)
	}
	for key, want := range map[string]int{"b": 1, "c": 3} {
		if got, ok := r.Get(key); !ok || got != want {
			t.Errorf("%s is %d, %v; want %d", key, got, ok, want)
		}
	}
	if _, ok := r.Get("a"); ok {
		t.Error("the oldest key is still there")
	}
}
