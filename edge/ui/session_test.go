package ui

import (
	"crypto/rand"
	"testing"
	"testing/synctest"
	"time"

	"galla/edge"
)

// TestManyBrowsers: a further browser locks the longest idle.
func TestManyBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := newSessions(rand.Reader, DefaultIdle, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []*Session
		for range maxSessions + 1 {
			ses, err := s.unlock(edge.User{ID: edge.AgentID}, nil)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, ses)
			time.Sleep(time.Second)
		}
		for i, ses := range all {
			if open := s.find(ses.id, false) != nil; open != (i > 0) {
				t.Errorf("browser %d is open: %v", i, open)
			}
		}
		<-all[0].closed
	})
}

func TestLocalPath(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "/op/1?next=balance": "/op/1?next=balance", "": "/", "//evil.example": "/", "/\\evil.example": "/",
		"http://evil.example/": "/", "javascript:alert(1)": "/", "/x\r\nSet-Cookie: y": "/", "op/1": "/", "https:///x": "/",
	} {
		if got := LocalPath(path); got != want {
			t.Errorf("LocalPath(%q) = %q, want %q", path, got, want)
		}
	}
}
