//go:build linux

package works

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"galla/deploy/bench/peers"
	"galla/deploy/bench/report"
)

// runCounter measures presses at a counter beside plain syncs, and counts the syncs of a
// withdrawal.
func runCounter(ctx context.Context, b *Bench) error {
	program, err := b.Build(ctx, "./peers/counter")
	if err != nil {
		return err
	}
	n := max(20, int(b.Span/(40*time.Millisecond)))
	var ratios, whole, press []float64
	for round := range b.Rounds {
		got, err := presses(ctx, b, []string{program}, n)
		if err != nil {
			return err
		}
		b.say("round %d of %d: counter", round+1, b.Rounds)
		ratios = append(ratios, got.Press.Seconds()/got.Sync.Seconds())
		press, whole = append(press, got.Press.Seconds()*1e3), append(whole, got.Whole.Seconds()*1e3)
	}
	b.plain("a press at the counter", "until it is durable / one fdatasync", "", report.Bound{AtMost: 1.5}, ratios)
	b.figure("a press at the counter", "durable after %.2f ms; a withdrawal with reader, bank and cash that take no time: %.2f ms", report.Median(press), report.Median(whole))
	return countSyncs(ctx, b, program)
}

// presses runs the counter's program with a command before it.
func presses(ctx context.Context, b *Bench, command []string, n int) (peers.Presses, error) {
	folder, err := os.MkdirTemp(b.Folder, "counter-")
	if err != nil {
		return peers.Presses{}, err
	}
	args := append(command[1:len(command):len(command)], "-folder", folder, "-n", strconv.Itoa(n))
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return peers.Presses{}, fmt.Errorf("the counter's program: %w", err)
	}
	var got peers.Presses
	return got, json.Unmarshal(text, &got)
}

// traced is how many withdrawals are traced.
const traced = 20

// countSyncs traces the counter's system calls.
func countSyncs(ctx context.Context, b *Bench, program string) error {
	strace, err := exec.LookPath("strace")
	if err != nil {
		b.say("strace is missing: the syncs of a withdrawal are not counted")
		return nil
	}
	file := b.folder("strace.txt")
	command := []string{strace, "-f", "-qq", "-e", "trace=fsync,fdatasync,msync,sync_file_range,faccessat,faccessat2", "-o", file, program}
	if _, err := presses(ctx, b, command, traced); err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	answered, cash, err := readTrace(text)
	if err != nil {
		return err
	}
	const work = "a withdrawal at the counter, one sync after the other"
	b.plain(work, "from the press to the bank's answer", "syncs", report.Bound{AtMost: 5}, answered)
	b.plain(work, "for the cash", "syncs", report.Bound{}, cash)
	return nil
}

// readTrace counts the syncs of each withdrawal: until the answer, and after it.
func readTrace(trace []byte) (answered, cash []float64, err error) {
	var syncs float64
	lines := bufio.NewScanner(bytes.NewReader(trace))
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.Contains(line, peers.MarkBegin):
			syncs = 0
		case strings.Contains(line, peers.MarkAnswered):
			answered, syncs = append(answered, syncs), 0
		case strings.Contains(line, peers.MarkEnd):
			cash = append(cash, syncs)
		case strings.Contains(line, "resumed>"): // the call was counted where it began
		case strings.Contains(line, "sync"):
			syncs++
		}
	}
	if len(answered) == 0 || len(answered) != len(cash) {
		return nil, nil, errors.New("the trace does not show the withdrawals")
	}
	return answered, cash, lines.Err()
}

// painted is a line of the benchmark of the counter's pages.
var painted = regexp.MustCompile(`(?m)^BenchmarkKeyToPage/(\w+)\S*\s.*?([0-9.]+) p50-ms`)

// pages is how many pages of each kind are opened in a round.
const pages = 20

// runPage runs the benchmark of the counter's pages, in a real browser, which has a peer of
// its own: an empty page.
func runPage(ctx context.Context, b *Bench) error {
	ratios := map[string][]float64{}
	var names []string
	for round := range b.Rounds {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkKeyToPage$", "-benchtime", fmt.Sprint(pages, "x"), "./edge/ui/aeps")
		cmd.Dir = b.Root
		text, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("the benchmark of the pages: %w\n%.3000s", err, text)
		}
		got, order, err := readPages(text)
		if err != nil {
			return err
		}
		names = order
		for _, name := range order {
			ratios[name] = append(ratios[name], got[name]/got["empty"])
		}
		b.say("round %d of %d: pages; the empty one after %.0f ms", round+1, b.Rounds, got["empty"])
	}
	for _, name := range names {
		if name != "empty" {
			b.plain("a key until the next page: "+name, "ours / an empty page", "", report.Bound{AtMost: 1.4}, ratios[name])
		}
	}
	return nil
}

// readPages gives each page's time in milliseconds, and their order.
func readPages(text []byte) (got map[string]float64, order []string, err error) {
	got = map[string]float64{}
	for _, m := range painted.FindAllSubmatch(text, -1) {
		if got[string(m[1])], err = strconv.ParseFloat(string(m[2]), 64); err != nil {
			return nil, nil, err
		}
		order = append(order, string(m[1]))
	}
	if got["empty"] == 0 || len(order) < 2 {
		return nil, nil, fmt.Errorf("the benchmark of the pages printed no times:\n%.3000s", text)
	}
	return got, order, nil
}
