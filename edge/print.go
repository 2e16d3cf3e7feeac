package edge

import "galla/shared/op"

// CountPrint records that a slip of an operation is given to a printer, and
// returns the record with the new count. It returns after fsync, so that a power
// cut does not lead to a second original.
func (c *Counter) CountPrint(id op.ID) (Record, error) {
	return c.change(id, func(r *Record) error {
		r.PrintCount, r.PrintedAt = r.PrintCount+1, c.cfg.Now()
		return nil
	})
}

// UncountPrint takes back the count of a slip that was not printed at all. If
// more slips were counted since, it changes nothing: their number is on paper.
func (c *Counter) UncountPrint(id op.ID, number int) error {
	_, err := c.change(id, func(r *Record) error {
		if r.PrintCount == number {
			r.PrintCount--
		}
		return nil
	})
	return err
}
