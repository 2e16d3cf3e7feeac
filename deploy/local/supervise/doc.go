//go:build unix

// Package supervise runs several programs as child processes. It starts them in order,
// waits until each is ready, restarts what dies, and stops them in order.
//
// It promises that a program that dies is restarted within a second unless it keeps
// crashing by itself; that no process is left behind, whether Run ends in order or (on
// Linux) the supervisor is killed; and that a program's last output is in its log file.
// Each program has its own process group, so that Ctrl-C in a terminal reaches only the
// supervisor.
//
// Programs enter as Steps, in the order of their start. Their output leaves line by
// line: with the program's name to Config.Screen, without it to Config.LogDir.
//
//	start ──► (Ready?) ──► next step ──► … ──► OnReady ──► until ctx ends ──► stop in StopOrder
//	  ▲          │ dies                           │ dies
//	  └──────────┴────────────────────────────────┘
package supervise
