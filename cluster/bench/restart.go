package main

import (
	"context"
	"fmt"
	"math"
	"time"
)

// A restarter is a session whose server can be started anew.
type restarter interface {
	session
	// Restart ends the server politely and starts it again. It returns when that was begun, and
	// comes back when a client is connected.
	Restart(ctx context.Context) (begun time.Time, err error)
	// Resident is how many bytes the server has in memory; 0 if that cannot be told.
	Resident() int
}

func restart(size sizes) workload {
	return workload{
		name:  "restart",
		title: "A restart with pending tasks",
		note: fmt.Sprintf("%d tasks an hour ahead; the server is ended politely and started: from "+
			"then until it has stored another task. Memory is resident before and after they were "+
			"armed, so garbage of the server counts. In the first round only.", size.pending),
		columns: []column{
			{title: "ms", ratio: true}, {title: "bytes per task", ratio: true, some: true},
		},
		fits:    oneProcess,
		once:    true,
		measure: measureRestart,
	}
}

func measureRestart(ctx context.Context, t *trial) ([]float64, error) {
	opened, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	s := opened.(restarter)
	before := s.Resident()
	if err := t.arm(ctx, s, t.sizes.clients, t.sizes.pending); err != nil {
		return nil, err
	}
	each := math.NaN()
	if before > 0 {
		each = float64(s.Resident()-before) / float64(t.sizes.pending)
	}
	begun, err := s.Restart(ctx)
	if err != nil {
		return nil, err
	}
	for t.store(ctx, s) != nil {
		if err := pause(ctx, 2*time.Millisecond); err != nil {
			return nil, err
		}
	}
	return []float64{milliseconds(time.Since(begun)), each}, nil
}
