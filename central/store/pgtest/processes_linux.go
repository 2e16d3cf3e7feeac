package pgtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"galla/shared/files"
)

// killWait bounds the time until killed processes are gone.
const killWait = 10 * time.Second

// killProcesses kills the processes of a server, each of which has its own group, and waits
// until none of them runs. Before that, another server of the folder could not start, and a
// commit in progress could still be answered.
func killProcesses(postmaster int) {
	// It must not start another process. A signal does not stop it at once: a fork that has
	// begun on another processor still ends, and its child would be missed.
	_ = files.Signal(postmaster, syscall.SIGSTOP)
	wait(func() bool { return !stopped(postmaster) && alive(postmaster) })
	family := children(postmaster)
	for _, pid := range append(family, postmaster) {
		_ = files.Signal(pid, syscall.SIGKILL)
	}
	wait(func() bool { return slices.ContainsFunc(family, alive) })
}

// wait polls while a condition holds. After killWait it gives up: a process waits for a disk,
// and the next start fails.
func wait(while func() bool) {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	giveUp := time.After(killWait)
	for while() {
		select {
		case <-look.C:
		case <-giveUp:
			return
		}
	}
}

// stopped tells whether a process obeyed a SIGSTOP.
func stopped(pid int) bool {
	state, _ := processStatus(pid)
	return state == 'T'
}

// alive tells whether a process runs. A killed one that is still a zombie does not.
func alive(pid int) bool {
	state, _ := processStatus(pid)
	return state != 'Z' && state != 0
}

// KillSession kills the process of one session, like a system that runs out of memory. The
// server then ends all others and recovers. pick returns a number below its argument. False:
// there was no session.
func (s *Server) KillSession(pick func(n int) int) bool {
	var sessions []int
	for _, pid := range children(s.cmd.Process.Pid) {
		title, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && bytes.HasPrefix(title, []byte("postgres: galla ")) {
			sessions = append(sessions, pid)
		}
	}
	return len(sessions) > 0 && files.Signal(sessions[pick(len(sessions))], syscall.SIGKILL) == nil
}

// children are the child processes of a process.
func children(of int) []int {
	var list []int
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, e := range entries {
		pid, err := strconv.Atoi(filepath.Base(e))
		if err != nil {
			continue
		}
		if _, parent := processStatus(pid); parent == of {
			list = append(list, pid)
		}
	}
	return list
}

// processStatus is the state of a process (Z: it has ended) and its parent; 0: there
// is none. The name before them may hold anything, in parentheses.
func processStatus(pid int) (state byte, parent int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 || len(fields[0]) != 1 {
		return 0, 0
	}
	parent, _ = strconv.Atoi(string(fields[1]))
	return fields[0][0], parent
}
