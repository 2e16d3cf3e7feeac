package web

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestConfirmationEnds: it lasts for its time and not for the session's.
func TestConfirmationEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ses := &Session{}
		if ses.isConfirmed() {
			t.Error("a session begins confirmed")
		}
		ses.Confirm()
		time.Sleep(ConfirmLife - time.Second)
		if !ses.isConfirmed() {
			t.Error("it ended early")
		}
		time.Sleep(time.Second)
		if ses.isConfirmed() {
			t.Error("it does not end")
		}
	})
}
