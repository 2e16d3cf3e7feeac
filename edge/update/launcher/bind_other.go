//go:build !windows

package launcher

import "os"

// processJob is empty here: a child ends when its standard input ends, and the next
// launcher kills one that hangs (releases.StopLeftover).
type processJob struct{}

func bindChild(*os.Process) (*processJob, error) { return &processJob{}, nil }

func (*processJob) release() {}
