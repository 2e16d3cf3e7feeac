package dbconn

import "context"

// Watched is a DB that tells each statement before it runs it, without BEGIN and COMMIT.
func Watched(db DB, tell func(statement string)) DB { return &watched{db, tell} }

type watched struct {
	DB
	tell func(string)
}

// Write implements DB.
func (d *watched) Write(ctx context.Context, do func(Conn) error) error {
	return d.DB.Write(ctx, func(c Conn) error { return do(watchedConn{c, d.tell}) })
}

// Read implements DB.
func (d *watched) Read(ctx context.Context, do func(Conn) error) error {
	return d.DB.Read(ctx, func(c Conn) error { return do(watchedConn{c, d.tell}) })
}

type watchedConn struct {
	Conn
	tell func(string)
}

// Exec implements Conn.
func (c watchedConn) Exec(statement string, args []any) (int64, error) {
	c.tell(statement)
	return c.Conn.Exec(statement, args)
}

// Each implements Conn.
func (c watchedConn) Each(statement string, args []any, scan func(Row) error) error {
	c.tell(statement)
	return c.Conn.Each(statement, args, scan)
}
