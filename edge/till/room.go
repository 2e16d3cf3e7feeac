package till

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"

	"galla/edge"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
)

//go:embed templates static messages
var files embed.FS

// Catalogue is the texts of this room.
func Catalogue() words.Catalogue { return words.Catalogue{Room: "till", Files: files} }

// refresh is how often a page without scripts looks again at a day that is not
// closed, in seconds.
const refresh = 30

// Counter is what the pages need of edge.Counter. All methods may be called
// from many goroutines.
type Counter interface {
	Status() edge.Status
	// Operation gives an operation as it stands. edge.ErrNotFound.
	Operation(id op.ID) (edge.View, error)
}

// RoomConfig sets up a Room. Logger is required.
type RoomConfig struct {
	// Print puts the closing of a day on the receipt printer; nil: there is
	// none, and the browser prints.
	Print  func(ctx context.Context, s Slip) error
	Logger *slog.Logger
}

// Slip is the closing of a day for a receipt printer, in words.
type Slip struct {
	Language string // BCP 47
	Shop     string
	Title    string
	Rows     []SlipRow
}

// SlipRow is one line of a slip: the label left, the value right. One without a
// label or a value stands alone.
type SlipRow struct{ Label, Value string }

// Room is the pages of the day's end. Its methods may be called from many
// goroutines.
type Room struct {
	till    *Till
	counter Counter
	cfg     RoomConfig
	kit     *web.Kit
}

// NewRoom makes the pages of a till. An error means that a dependency is
// missing.
func NewRoom(t *Till, counter Counter, cfg RoomConfig) (*Room, error) {
	if t == nil || counter == nil || cfg.Logger == nil {
		return nil, errors.New("the pages of the day's end need a till, a counter and a logger")
	}
	return &Room{till: t, counter: counter, cfg: cfg}, nil
}

// Name implements web.Room.
func (m *Room) Name() string { return "till" }

// Files implements web.Room.
func (m *Room) Files() fs.FS { return files }

// Register implements web.Room.
func (m *Room) Register(mux *http.ServeMux, kit *web.Kit) {
	m.kit = kit
	mux.HandleFunc("GET /till", kit.Get(m.day))
	mux.HandleFunc("POST /till/print", kit.Post(m.print))
	mux.HandleFunc("GET /till/month", kit.Get(m.month))
	mux.HandleFunc("GET /till/opening", kit.Get(m.opening))
	mux.HandleFunc("POST /till/opening", kit.Post(m.setOpening))
	mux.HandleFunc("GET /till/count", kit.Get(m.count))
	mux.HandleFunc("POST /till/count", kit.Post(m.close))
}

// Entries implements web.Entrance. Days that were left open are counted beside
// the name.
func (m *Room) Entries(ses *web.Session) []web.Entry {
	w := ses.Words()
	e := web.Entry{Href: "/till", Icon: "till", Title: w.Say("till.title"), Hint: w.Say("till.hint"), Key: "d"}
	open, err := m.till.LeftOpen()
	if err != nil {
		m.cfg.Logger.Error("the days that were left open can't be listed", "error", err)
	}
	if len(open) > 0 {
		e.Title += " · " + w.Count("till.left", len(open))
	}
	return []web.Entry{e}
}

// dayOf is the day of a request: today, where it names none that has begun.
func (m *Room) dayOf(r *http.Request) Day {
	today := m.till.Today()
	day, err := ParseDay(r.URL.Query().Get("day"))
	if err != nil || day > today {
		return today
	}
	return day
}
