//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestObey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signals := make(chan os.Signal, 2)
		var stopped, hurried bool
		go obey(signals, func() { stopped = true }, func() { hurried = true })
		signals <- syscall.SIGTERM
		signals <- syscall.SIGTERM // make passes on the signal that the group got already
		synctest.Wait()
		if !stopped || hurried {
			t.Errorf("after one wish: stopped %v, hurried %v", stopped, hurried)
		}
		time.Sleep(sameSignal)
		signals <- os.Interrupt
		synctest.Wait()
		if !hurried {
			t.Error("a second wish was not heard")
		}
	})
}
