//go:build unix

package supervise

import "runtime"

// launcher starts all processes from one operating-system thread that lives as long as
// they do. Linux sends a parent's death signal when the thread that forked ends, and Go
// ends threads at any time.
type launcher struct {
	work chan func()
	done chan struct{}
}

func newLauncher() *launcher {
	l := &launcher{work: make(chan func()), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for f := range l.work {
			f()
		}
	}()
	return l
}

// do runs a function on the thread and waits for it.
func (l *launcher) do(f func() error) error {
	result := make(chan error, 1)
	l.work <- func() { result <- f() }
	return <-result
}

// close ends the thread; nothing may be running any more.
func (l *launcher) close() {
	close(l.work)
	<-l.done
}
