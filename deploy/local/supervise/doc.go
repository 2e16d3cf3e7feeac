//go:build unix

// Package supervise keeps a few programs running as processes of their own:
// it starts them in order, waits until each answers, starts again what dies,
// and stops them in order.
//
// It promises that a program that dies is started again within a second as
// long as it does not keep crashing by its own fault; that nothing is left
// behind, whether Run ends in order or (on Linux) the supervising process is
// killed; and that a program's last words are in its log file. Each program
// runs in a process group of its own, so that Ctrl-C in a terminal reaches the
// supervisor alone.
//
// Programs enter as Steps, in the order of their start; their output leaves
// line by line, prefixed with the program's name, to Config.Screen and
// unprefixed to Config.LogDir.
//
//	start ──► (Ready?) ──► next step ──► … ──► OnReady ──► until ctx ends ──► stop in StopOrder
//	  ▲          │ dies                           │ dies
//	  └──────────┴────────────────────────────────┘
package supervise
