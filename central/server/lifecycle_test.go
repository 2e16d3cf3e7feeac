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

// TestDrain: a central that is asked to stop is not ready at once, and serves requests
// until the drain delay has passed, each of which closes its connection.
func TestDrain(t *testing.T) {
	cfg := testConfig(t)
	cfg.DrainDelay = 2 * time.Second
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
		t.Fatalf("a request before the stop: %v, its connection ends: %t", err, res.Close)
	}
	cancel()
	for {
		status, text := get(t, "http://"+cfg.AdminAddr+"/readyz")
		if status == http.StatusServiceUnavailable && strings.Contains(text, "another node") {
			break
		}
		if status != http.StatusOK {
			t.Fatalf("readyz: %d %s", status, text)
		}
	}
	if _, metrics := get(t, "http://"+cfg.AdminAddr+"/metrics"); !strings.Contains(metrics, "galla_stopping 1") {
		t.Error("the metrics do not say that the node stops")
	}
	res, err := http.Get(keys)
	if err != nil || res.StatusCode != http.StatusOK || !res.Close {
		t.Errorf("a request in the drain delay: %v %+v", err, res)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(keys); err == nil {
		t.Error("a stopped central accepts connections")
	}
}

// parts is a lifecycle whose parts record their end.
func parts(ended *[]string) *lifecycle {
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
	return &lifecycle{
		entrances:        []func(context.Context) error{part("direct", 3*time.Second), part("uplink", time.Second)},
		work:             []func(context.Context) error{part("engine", time.Second)},
		admin:            []func(context.Context) error{part("admin", 0)},
		closeConnections: func() {},
	}
}

func TestPartsEndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		l := parts(&ended)
		l.drainDelay = time.Minute
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour, stop)
		begun := time.Now()
		if err := l.run(ctx); err != nil || time.Since(begun) != time.Hour+time.Minute+4*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if want := []string{"uplink", "direct", "engine", "admin"}; !slices.Equal(ended, want) {
			t.Errorf("ended: %v, want %v", ended, want)
		}
	})
}

func TestAPartThatFailsEndsAll(t *testing.T) {
	broken := errors.New("the network card is gone")
	for name, change := range map[string]func(*lifecycle){
		"fails": func(l *lifecycle) {
			l.work = append(l.work, func(context.Context) error { time.Sleep(time.Second); return broken })
		},
		"fails in the drain delay": func(l *lifecycle) {
			l.drainDelay = time.Hour
			l.entrances = append(l.entrances, func(context.Context) error { time.Sleep(2 * time.Second); return broken })
		},
		"ends": func(l *lifecycle) {
			l.admin = append(l.admin, func(context.Context) error { time.Sleep(time.Second); return nil })
		},
		"loses its name": func(l *lifecycle) {
			lost := make(chan error, 1)
			lost <- broken
			l.lost = lost
		},
		"loses its name in the drain delay": func(l *lifecycle) {
			lost := make(chan error)
			l.lost, l.drainDelay = lost, time.Hour
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
				if len(ended) != 4 || ended[3] != "admin" {
					t.Errorf("ended: %v", ended)
				}
			})
		})
	}
}

// TestAStopWhileStarting: a central that is stopped at any point of its start ends
// without an error.
func TestAStopWhileStarting(t *testing.T) {
	cfg := testConfig(t)
	for _, after := range []time.Duration{0, 3, 10, 30, 60, 100, 200, 400} {
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(after*time.Millisecond, stop)
		if err := Run(ctx, cfg); err != nil {
			t.Errorf("stopped after %d ms: %v", after, err)
		}
	}
}
