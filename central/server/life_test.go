package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestACentralLeavesBeforeItStops: told to stop, it is not ready at once, and
// until the lead has passed it takes calls, each of which ends its connection.
func TestACentralLeavesBeforeItStops(t *testing.T) {
	cfg := testConfig(t)
	cfg.Lead = 2 * time.Second
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, cfg) }()
	for {
		if status, _ := get(t, "http://"+cfg.AdminAddr+"/readyz"); status == http.StatusOK {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	keys := "http://" + cfg.Addr + "/.well-known/jwks.json"
	if res, err := http.Get(keys); err != nil || res.Close {
		t.Fatalf("a call before the stop: %v, its connection ends: %t", err, res.Close)
	}
	cancel()
	for {
		status, text := get(t, "http://"+cfg.AdminAddr+"/readyz")
		if status == http.StatusServiceUnavailable && strings.Contains(text, "elsewhere") {
			break
		}
		if status != http.StatusOK {
			t.Fatalf("readyz: %d %s", status, text)
		}
	}
	if _, metrics := get(t, "http://"+cfg.AdminAddr+"/metrics"); !strings.Contains(metrics, "galla_leaving 1") {
		t.Error("the metrics do not tell that the node leaves")
	}
	res, err := http.Get(keys)
	if err != nil || res.StatusCode != http.StatusOK || !res.Close {
		t.Errorf("a call in the lead: %v %+v", err, res)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(keys); err == nil {
		t.Error("a stopped central takes calls")
	}
}

// parts is a life whose parts note when they are ended.
func parts(ended *[]string) *life {
	var mu sync.Mutex
	part := func(name string, takes time.Duration) func(context.Context) error {
		return func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(takes)
			mu.Lock()
			defer mu.Unlock()
			*ended = append(*ended, name)
			return nil
		}
	}
	return &life{
		doors: []func(context.Context) error{part("door", 3*time.Second), part("uplink", time.Second)},
		work:  []func(context.Context) error{part("engine", time.Second)},
		desk:  []func(context.Context) error{part("desk", 0)},
		leave: func() {},
	}
}

func TestPartsEndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		l := parts(&ended)
		l.lead = time.Minute
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour, stop)
		begun := time.Now()
		if err := l.run(ctx); err != nil || time.Since(begun) != time.Hour+time.Minute+4*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if want := []string{"uplink", "door", "engine", "desk"}; !slices.Equal(ended, want) {
			t.Errorf("ended: %v, want %v", ended, want)
		}
	})
}

func TestAPartThatFailsEndsAll(t *testing.T) {
	broken := errors.New("the network card is gone")
	for name, change := range map[string]func(*life){
		"fails": func(l *life) {
			l.work = append(l.work, func(context.Context) error { time.Sleep(time.Second); return broken })
		},
		"fails in the lead": func(l *life) {
			l.lead = time.Hour
			l.doors = append(l.doors, func(context.Context) error { time.Sleep(2 * time.Second); return broken })
		},
		"ends": func(l *life) {
			l.desk = append(l.desk, func(context.Context) error { time.Sleep(time.Second); return nil })
		},
		"loses its name": func(l *life) {
			lost := make(chan error, 1)
			lost <- broken
			l.lost = lost
		},
		"loses its name in the lead": func(l *life) {
			lost := make(chan error)
			l.lost, l.lead = lost, time.Hour
			time.AfterFunc(2*time.Second, func() { lost <- broken })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ended []string
				l := parts(&ended)
				change(l)
				ctx, stop := context.WithCancel(t.Context())
				time.AfterFunc(time.Second+time.Millisecond, stop)
				begun := time.Now()
				err := l.run(ctx)
				if !errors.Is(err, broken) && !errors.Is(err, errEnded) || time.Since(begun) > time.Minute {
					t.Errorf("%v after %v", err, time.Since(begun))
				}
				if len(ended) != 4 || ended[3] != "desk" {
					t.Errorf("ended: %v", ended)
				}
			})
		})
	}
}

// TestAStopWhileStarting: whenever a central is told to stop while it still
// starts, it ends in order.
func TestAStopWhileStarting(t *testing.T) {
	cfg := testConfig(t)
	for _, after := range []time.Duration{0, 3, 10, 30, 60, 100, 200, 400} {
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(after*time.Millisecond, stop)
		if err := Run(ctx, cfg); err != nil {
			t.Errorf("told to stop after %d ms: %v", after, err)
		}
	}
}
