package edge

import (
	"fmt"

	"galla/shared/checkpoint"
	"galla/shared/wire"
)

// Cache keys of the log's checkpoint: the newest that continued all before it, and a newer one
// that did not.
const (
	cacheCheckpoint = "log checkpoint"
	cacheFork       = "log fork"
)

// keptCheckpoint is the signed checkpoint of the central's log that this counter keeps; empty:
// none yet. A copy of it at many counters is what nobody at the central can change.
func (c *Counter) keptCheckpoint() string {
	value, _, _, err := c.queue.GetCache(cacheCheckpoint)
	if err != nil {
		c.log.Error("the checkpoint of the central's log can't be read", "error", err)
		return ""
	}
	if len(value) > wire.MaxLog {
		return ""
	}
	return string(value)
}

// keepCheckpoint keeps the checkpoint of a welcome, if it continues the one that is kept. A fork
// is shown on every page until the central has the past again that it had signed.
func (c *Counter) keepCheckpoint(welcome wire.Frame) {
	if welcome.Log == "" {
		return
	}
	kept := c.keptCheckpoint()
	err := checkContinues(kept, welcome)
	if err != nil {
		c.log.Error("the central's log does not continue the checkpoint that this counter keeps", "error", err)
		c.saveCheckpoint(cacheFork, welcome.Log)
	} else {
		c.saveCheckpoint(cacheCheckpoint, welcome.Log)
		c.saveCheckpoint(cacheFork, "")
	}
	c.mu.Lock()
	c.logFork = err != nil
	c.mu.Unlock()
}

func (c *Counter) saveCheckpoint(key, signed string) {
	err := c.queue.PutCache(key, []byte(signed), c.cfg.Now())
	c.noteDiskError(err)
	if err != nil {
		c.log.Error("a checkpoint of the central's log can't be stored", "error", err)
	}
}

// checkContinues checks that a welcome's checkpoint continues the one that is kept.
func checkContinues(kept string, welcome wire.Frame) error {
	keys, err := checkpoint.ParseKeys(welcome.LogKey)
	if err != nil {
		return err
	}
	later, err := keys.Open(welcome.Log)
	if err != nil {
		return err
	}
	earlier, ok := checkpoint.Unverified(kept)
	if !ok { // none, or none that can be read: this one is the first
		return nil
	}
	switch {
	case later.Log != earlier.Log:
		return fmt.Errorf("%w: it is another log, %s and not %s", checkpoint.ErrFork, later.Log, earlier.Log)
	case later.Epoch < earlier.Epoch:
		return fmt.Errorf("%w: its epoch is %d and was %d", checkpoint.ErrFork, later.Epoch, earlier.Epoch)
	case later.Epoch > earlier.Epoch: // the database was restored from a backup, which the log says openly
		return nil
	}
	proof, err := checkpoint.ParseProof(welcome.LogProof)
	if err != nil {
		return err
	}
	return proof.Check(later, earlier)
}

// loadFork reads whether a fork was shown before the start.
func (c *Counter) loadFork() {
	value, _, ok, err := c.queue.GetCache(cacheFork)
	c.logFork = err == nil && ok && len(value) > 0
}
