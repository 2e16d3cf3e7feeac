//go:build !race

package server

import (
	"io"
	"runtime"
	"slices"
	"sync"
	"testing"

	"galla/central/api/openapi"
	"galla/shared/op"
)

// The race detector makes allocations of its own, so this file is not built with it.

// budgetOf is what one successful request of a route may cost in the whole central,
// without the bank (see stack): allocations, and statements of the database without BEGIN
// and COMMIT. The numbers don't depend on the machine. A statement more, or a twentieth
// more allocations, fails. To see where they come from:
//
//	go test ./central/server -run TestBudget -v
//	go test ./central/server -run '^$' -bench Withdrawal -benchmem -memprofile m -memprofilerate 1
//
// Raise a number only with a reason in the commit. Lower it when a change makes a request
// cheaper. A new route needs a row; -v prints what it costs.
type budgetOf struct {
	route                   op.RouteID
	allocations, statements int
}

// TestBudget holds every route to its budget.
func TestBudget(t *testing.T) {
	var mu sync.Mutex
	var ran []string
	s := newStackWith(t, io.Discard, func(statement string) {
		mu.Lock()
		ran = append(ran, statement)
		mu.Unlock()
	})
	text, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	calls := newBudgetCalls(t, s, text)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rows := budget()
	for _, route := range op.Table() {
		if route.Entrances&op.Direct == 0 {
			continue // terminals call it by frames
		}
		n := slices.IndexFunc(rows, func(b budgetOf) bool { return b.route == route.ID })
		if n < 0 {
			t.Errorf("%s has no budget: add a row", route.ID)
			rows, n = append(rows, budgetOf{route: route.ID}), len(rows)
		}
		most := rows[n]
		t.Run(string(route.ID), func(t *testing.T) {
			var allocations, statements []int
			for i := range 16 {
				call := calls.next(t, route)
				mu.Lock()
				ran = ran[:0]
				mu.Unlock()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				status, err := s.call(call)
				runtime.ReadMemStats(&after)
				if err != nil || status/100 != 2 {
					t.Fatalf("HTTP %d %s, %v", status, s.reply, err)
				}
				if i < 5 { // what is made once: the agent's session, statements, buffers
					continue
				}
				mu.Lock()
				allocations, statements = append(allocations, int(after.Mallocs-before.Mallocs)), append(statements, len(ran))
				mu.Unlock()
			}
			made, run := median(allocations), median(statements)
			t.Logf("{%q, %d, %d},", route.ID, made, run)
			if made > most.allocations+max(1, most.allocations/20) {
				t.Errorf("%d allocations, the budget is %d", made, most.allocations)
			}
			if run > most.statements {
				t.Errorf("%d statements, the budget is %d:\n%q", run, most.statements, ran)
			}
		})
	}
	if len(rows) > len(op.Table()) {
		t.Error("a row is of no route")
	}
}

// median is robust against what runs beside the calls now and then.
func median(list []int) int {
	slices.Sort(list)
	return list[len(list)/2]
}
