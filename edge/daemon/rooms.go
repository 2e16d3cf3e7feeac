package daemon

import (
	"time"

	"galla/edge"
	"galla/edge/crew"
	"galla/edge/people"
	"galla/edge/queue"
	"galla/edge/send"
	"galla/edge/web"
)

// openRooms makes the rooms that the screen puts together.
func openRooms(counter *edge.Counter, operators *people.People, q *queue.Queue, cfg Config) ([]web.Room, error) {
	managing, err := crew.New(operators)
	if err != nil {
		return nil, err
	}
	sending, err := send.New(counter, send.Config{Cache: q, Now: time.Now, Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return nil, err
	}
	return []web.Room{sending, managing}, nil
}
