//go:build linux

// Package host tells what the machine and its processes do while something is measured:
// processor time and memory of a process, the load, and whether the machine is quiet.
package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is the unit in which the kernel counts processor time for us.
const tick = 10 * time.Millisecond

// CPU is the processor time that a process has used, user and system, in steps of 10 ms.
func CPU(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("processor time of a process: %w", err)
	}
	return parseCPU(text)
}

// parseCPU reads a line of /proc/PID/stat. The name in it may hold spaces and brackets.
func parseCPU(text []byte) (time.Duration, error) {
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0, errors.New("processor time of a process: the kernel's line has too few fields")
	}
	user, userErr := strconv.Atoi(string(fields[11]))
	system, systemErr := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * tick, errors.Join(userErr, systemErr)
}

// Resident is a process's memory in bytes.
func Resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("memory of a process: %w", err)
	}
	return parseResident(string(text))
}

func parseResident(text string) (int64, error) {
	_, after, found := strings.Cut(text, "VmRSS:")
	if !found {
		return 0, errors.New("memory of a process: the kernel does not tell it")
	}
	n, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	return n << 10, err
}

// Load is the machine's load average of the last minute.
func Load() (float64, error) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, fmt.Errorf("load of the machine: %w", err)
	}
	return strconv.ParseFloat(strings.Fields(string(text))[0], 64)
}

// Cores is how many processors there are.
func Cores() int { return runtime.NumCPU() }

// Busy is how many processors were busy during a span, between 0 and Cores. The caller does
// nothing meanwhile, so it is the work of others.
func Busy(ctx context.Context, span time.Duration) (float64, error) {
	before, err := idleTime()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	select {
	case <-time.After(span):
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	after, err := idleTime()
	if err != nil {
		return 0, err
	}
	return max(0, float64(Cores())-(after-before).Seconds()/time.Since(began).Seconds()), nil
}

// idleTime is how long all processors together had nothing to do, since the start.
func idleTime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("idle time of the machine: %w", err)
	}
	fields := strings.Fields(strings.SplitN(string(text), "\n", 2)[0])
	if len(fields) < 6 {
		return 0, errors.New("idle time of the machine: the kernel's line has too few fields")
	}
	idle, idleErr := strconv.Atoi(fields[4])
	waits, waitsErr := strconv.Atoi(fields[5]) // for the disk
	return time.Duration(idle+waits) * tick, errors.Join(idleErr, waitsErr)
}
