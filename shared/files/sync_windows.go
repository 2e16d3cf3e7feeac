package files

// SyncFolder does nothing: on Windows a rename is durable, and a folder can't be
// flushed.
func SyncFolder(string) error { return nil }
