package console_test

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"galla/central/console"
	"galla/central/staff"
)

// BenchmarkNow measures what the page Now costs beside 1,000,000 operations of the last 24
// hours while somebody has it open: the first read, and the processor's time in half a
// minute, in which the page loads itself six times, and of PostgreSQL how long its sessions
// work for it. What an idle central takes is not counted.
func BenchmarkNow(b *testing.B) {
	for _, on := range databases {
		b.Run(on, func(b *testing.B) {
			server := ""
			if on == "PostgreSQL" {
				server = startPostgres(b)
			}
			h, c := newFilledSystem(b, on, 1_000_000, 1, server)
			v := h.enter(b, staff.Admin)
			now := measuredPage{name: "now", path: console.Root + "now"}
			load := func() time.Duration {
				took, status, err := v.open(now, c, 0)
				if err != nil || status != http.StatusOK {
					b.Fatalf("HTTP %d, %v", status, err)
				}
				return took
			}
			// PostgreSQL's idle sessions report what they have done after ten seconds.
			const span, every, statisticsDelay = 30 * time.Second, 5 * time.Second, 12 * time.Second
			watch := func(loads bool) [2]time.Duration {
				node, database := processorTime(b), h.databaseTime(b)
				for range span / every {
					if loads {
						load()
					}
					<-time.After(every)
				}
				return [2]time.Duration{processorTime(b) - node, h.databaseTime(b) - database}
			}
			for b.Loop() {
				first := load()
				<-time.After(statisticsDelay)
				idle := watch(false)
				b.ReportMetric(float64(first.Milliseconds()), "first-ms")
				busy := watch(true)
				b.ReportMetric(float64(busy[0]-idle[0])/float64(time.Millisecond), "cpu-ms-in-30s")
				b.ReportMetric(float64(busy[1]-idle[1])/float64(time.Millisecond), "postgres-ms-in-30s")
			}
		})
	}
}

// processorTime is what this process and its ended children have used so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// databaseTime is how long the sessions of a PostgreSQL database have worked so far; 0: it is
// none.
func (h *system) databaseTime(b *testing.B) time.Duration {
	b.Helper()
	if h.cfg.DatabaseURL.IsZero() {
		return 0
	}
	var ms float64
	if err := h.raw.QueryRowContext(b.Context(), `SELECT active_time FROM pg_stat_database WHERE datname = current_database()`).Scan(&ms); err != nil {
		b.Fatal(err)
	}
	return time.Duration(ms * float64(time.Millisecond))
}
