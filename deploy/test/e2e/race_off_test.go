//go:build linux && !race

package e2e

// raceOn reports that the tests run under the race detector, and so must the programs.
const raceOn = false
