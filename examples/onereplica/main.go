// Onereplica runs a job on one of many replicas: the one that holds the lock. The others skip the
// run. With -database the lock is PostgreSQL's, and each process is a replica; without, three
// replicas in this process share a lock in memory.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/punctual-go/punctual/executor"
)

func main() {
	length := flag.Duration("for", 2*time.Second, "end by itself after this time; 0 means never")
	database := flag.String("database", "", "where the lock is, such as postgres://user@host/name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if *length > 0 {
		ctx, stop = context.WithTimeout(ctx, *length)
		defer stop()
	}
	if err := run(ctx, *database); err != nil {
		log.Fatal(err) //nolint:gocritic // nothing is to be undone
	}
}

// run runs the job until ctx ends. A run under way is finished, for ten seconds at most.
func run(ctx context.Context, database string) (err error) {
	locks := []Lock{}
	if database == "" {
		shared := new(server)
		for range 3 {
			locks = append(locks, &session{server: shared})
		}
	} else {
		db, err := sql.Open("pgx", database)
		if err != nil {
			return err
		}
		defer db.Close() //nolint:errcheck // nothing is written
		locks = append(locks, newPostgresLock(db, "onereplica/tidy", time.Second))
	}
	pool := executor.NewScheduledPool(len(locks), executor.Name("jobs"))
	for i, lock := range locks {
		tidy := func(ctx context.Context) error {
			fmt.Printf("replica %d of process %d works\n", i, os.Getpid())
			select {
			case <-time.After(150 * time.Millisecond):
				return nil
			case <-ctx.Done(): // the lock is lost, or the time is up
				return context.Cause(ctx)
			}
		}
		_, err = pool.Every(250*time.Millisecond, OnOneReplica(lock, tidy),
			executor.Name(fmt.Sprint("tidy-", i)), executor.Timeout(10*time.Second))
		if err != nil {
			return errors.Join(err, pool.Close())
		}
	}
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if report, err := pool.CloseContext(end); err != nil {
		return fmt.Errorf("cut off: %v: %w", report.Running, err)
	}
	s := pool.Stats()
	fmt.Printf("%d runs, %d of them skipped, %d failed\n", s.Runs, s.Skipped, s.Failures)
	return nil
}
