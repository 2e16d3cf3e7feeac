package ui

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestConfirmationEnds: it ends before the session does.
func TestConfirmationEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ses := &Session{}
		if ses.isConfirmed() {
			t.Error("a session begins confirmed")
		}
		ses.MarkConfirmed()
		time.Sleep(ConfirmationTTL - time.Second)
		if !ses.isConfirmed() {
			t.Error("it ended early")
		}
		time.Sleep(time.Second)
		if ses.isConfirmed() {
			t.Error("it does not end")
		}
	})
}
