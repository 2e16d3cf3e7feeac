//go:build linux

package stand

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"galla/deploy/bench/host"
)

// Usage is what the central has used so far.
type Usage struct {
	CPU         time.Duration // user and system
	Allocations float64
	Bytes       float64 // that were allocated
}

// Sub is what was used since an earlier moment.
func (u Usage) Sub(before Usage) Usage {
	return Usage{u.CPU - before.CPU, u.Allocations - before.Allocations, u.Bytes - before.Bytes}
}

// Add is what two used together.
func (u Usage) Add(other Usage) Usage {
	return Usage{u.CPU + other.CPU, u.Allocations + other.Allocations, u.Bytes + other.Bytes}
}

// Usage asks the kernel and the central's own metrics.
func (s *Stand) Usage() (Usage, error) {
	all, err := s.Metrics()
	if err != nil {
		return Usage{}, err
	}
	u := Usage{Allocations: all["go_memstats_mallocs_total"], Bytes: all["go_memstats_alloc_bytes_total"]}
	if u.Allocations == 0 || u.Bytes == 0 {
		return u, fmt.Errorf("the central's metrics do not count allocations")
	}
	u.CPU, err = host.CPU(s.Central.PID())
	return u, err
}

// Metrics are the central's metrics by name, with labels as they are written.
func (s *Stand) Metrics() (map[string]float64, error) {
	resp, err := http.Get("http://" + s.Admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET /metrics: HTTP %d", resp.StatusCode)
	}
	return parseMetrics(resp.Body)
}

func parseMetrics(r io.Reader) (map[string]float64, error) {
	all := map[string]float64{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("metric %s: %w", line[:at], err)
		}
		all[line[:at]] = value
	}
	return all, lines.Err()
}
