package daemon

import (
	"context"
	"time"

	"galla/edge"
	"galla/edge/crew"
	"galla/edge/customer"
	"galla/edge/device"
	"galla/edge/help"
	"galla/edge/people"
	"galla/edge/queue"
	"galla/edge/readers"
	"galla/edge/screen"
	"galla/edge/send"
	"galla/edge/shop"
	"galla/edge/till"
	"galla/edge/truth"
	"galla/edge/web"
)

// openPages makes the pages with all their rooms, and gives what runs beside them.
func openPages(name string, counter *edge.Counter, days *till.Till, operators *people.People, q *queue.Queue, reader *device.Device, slips slips, updates *updates, cfg Config) (*screen.Screen, func(context.Context) error, error) {
	rooms, looking, err := openRooms(counter, days, operators, q, reader, slips, updates.room, cfg)
	if err != nil {
		return nil, nil, err
	}
	pages, err := screen.New(standing{counter, operators}, screen.Config{
		Name: name, KeepLanguage: operators.KeepLanguage, BankRate: days.BankRate, Receipt: slips.View, Rand: cfg.Rand, Logger: cfg.Logger,
	}, rooms...)
	if err == nil {
		updates.touched = pages.Touched
	}
	return pages, looking, err
}

// openRooms makes the rooms that the screen puts together, and gives what runs
// beside the screen for them.
func openRooms(counter *edge.Counter, days *till.Till, operators *people.People, q *queue.Queue, reader *device.Device, slips slips, program web.Room, cfg Config) (rooms []web.Room, run func(context.Context) error, err error) {
	sending, err := send.New(counter, send.Config{Cache: q, Now: time.Now, Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	shops, err := shop.New(counter, q, shop.Config{Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	front, err := customer.New(counter, customer.Config{Picture: shops.Picture, Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	managing, err := crew.New(operators)
	if err != nil {
		return nil, nil, err
	}
	devices, err := readers.New(reader, nil)
	if err != nil {
		return nil, nil, err
	}
	all, err := truth.New(counter, days, cfg.Logger)
	if err != nil {
		return nil, nil, err
	}
	drawer, err := till.NewRoom(days, counter, till.RoomConfig{Print: slips.closing, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	return []web.Room{all, drawer, sending, shops, front, managing, devices, slips, program, help.New()}, devices.Run, nil
}

// openTill makes the till of the counter's days, by the central's clock.
func openTill(counter *edge.Counter, q *queue.Queue) (*till.Till, error) {
	return till.New(q, till.Config{
		Now: time.Now, Offset: func() time.Duration { return counter.Status().Link.Offset }, Cash: func() []edge.Record { return counter.Status().Cash },
	})
}
