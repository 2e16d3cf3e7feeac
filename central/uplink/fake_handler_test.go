package uplink

import (
	"context"
	"fmt"

	"galla/central"
	"galla/shared/op"
)

// fakeHandler is a scripted handler.
type fakeHandler struct {
	handle func(ctx context.Context, c central.Request) central.Reply
	ask    func(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error)
}

func (d *fakeHandler) Handle(ctx context.Context, c central.Request) central.Reply {
	if d.handle != nil {
		return d.handle(ctx, c)
	}
	if c.OnAccepted != nil {
		c.OnAccepted(c.ID)
	}
	return d.CurrentReply(operationRecord(c.Principal.Terminal, c.ID, op.Succeeded))
}

func (d *fakeHandler) FindOrTombstone(ctx context.Context, p central.Principal, id op.ID) (central.Reply, bool, error) {
	if d.ask != nil {
		return d.ask(ctx, p, id)
	}
	return central.Reply{}, false, nil
}

func (d *fakeHandler) CurrentReply(o central.Operation) central.Reply {
	return central.Reply{HTTP: o.HTTP, Body: o.Reply, State: o.State}
}

func (d *fakeHandler) ErrorReply(err error, _ string) central.Reply {
	e := central.AsError(err)
	row := map[central.Fault]struct {
		http int
		code string
	}{
		central.Unauthenticated: {401, "03"}, central.AccessDenied: {403, "01"}, central.NoRoute: {404, "04"},
		central.NoMethod: {405, "04"}, central.Invalid: {400, "02"}, central.TooMany: {429, "07"}, central.Internal: {500, "500"},
	}[e.Fault]
	return central.Reply{HTTP: row.http, Body: fmt.Appendf(nil, `{"statusCode":%q,"message":%q}`, row.code, e.Message)}
}
