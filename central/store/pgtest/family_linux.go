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
)

// familyWait bounds how long killed processes may take to be gone.
const familyWait = 10 * time.Second

// killFamily kills a server's processes, each of which is in a group of its
// own, and waits until none of them runs: until then the next server of the
// same folder would be refused, and a commit under way could still be answered.
func killFamily(postmaster int) {
	_ = syscall.Kill(postmaster, syscall.SIGSTOP) // it must not start another one
	family := children(postmaster)
	for _, pid := range append(family, postmaster) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	giveUp := time.After(familyWait)
	for slices.ContainsFunc(family, alive) {
		select {
		case <-look.C:
		case <-giveUp:
			return // it waits for a disk; the next start says so
		}
	}
}

// alive tells whether a process runs: one that was killed and waits for its
// parent to notice does not.
func alive(pid int) bool {
	state, _ := status(pid)
	return state != 'Z' && state != 0
}

// KillSession kills the process of one session, as the system does that runs out
// of memory; the server then ends all others and recovers by itself. pick draws
// below its argument. False: there was no session.
func (s *Server) KillSession(pick func(n int) int) bool {
	var sessions []int
	for _, pid := range children(s.cmd.Process.Pid) {
		title, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && bytes.HasPrefix(title, []byte("postgres: galla ")) {
			sessions = append(sessions, pid)
		}
	}
	return len(sessions) > 0 && syscall.Kill(sessions[pick(len(sessions))], syscall.SIGKILL) == nil
}

// children are the processes whose parent is the given one.
func children(of int) []int {
	var list []int
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, e := range entries {
		pid, err := strconv.Atoi(filepath.Base(e))
		if err != nil {
			continue
		}
		if _, parent := status(pid); parent == of {
			list = append(list, pid)
		}
	}
	return list
}

// status is the state of a process (Z: it has ended) and its parent; 0: there
// is none. The name before them may hold anything, in parentheses.
func status(pid int) (state byte, parent int) {
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
