import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The pool that knows delays since JDK 25: one thread keeps them in a heap, and is sent what comes and what is
 * cancelled. It takes tasks in the order in which they come, as its documentation advises for those that
 * nobody joins.
 */
final class JdkForkJoin extends Rivals.Facility<Runnable, ScheduledFuture<?>> {
    private final ForkJoinPool pool =
            new ForkJoinPool(Rivals.WORKERS, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);
    private final ScheduledExecutorService timers = scheduler(pool);

    /** An earlier JDK compiles this, too. */
    private static ScheduledExecutorService scheduler(Object pool) {
        if (!(pool instanceof ScheduledExecutorService)) {
            throw new UnsupportedOperationException("it knows no delays before JDK 25");
        }
        return (ScheduledExecutorService) pool;
    }

    @Override
    Runnable task(Runnable run) {
        return run;
    }

    @Override
    ScheduledFuture<?> schedule(Runnable task, long delay) {
        return timers.schedule(task, delay, TimeUnit.NANOSECONDS);
    }

    @Override
    boolean cancel(ScheduledFuture<?> scheduled) {
        return scheduled.cancel(false);
    }

    @Override
    void repeat(Runnable run, long first, long period) {
        timers.scheduleAtFixedRate(run, first - System.nanoTime(), period, TimeUnit.NANOSECONDS);
    }

    @Override
    ExecutorService pool() {
        return pool;
    }

    /** Its threads end by themselves a little later, and are daemons. */
    @Override
    void stop() throws InterruptedException {
        pool.shutdownNow();
        if (!pool.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("it has not ended after a minute");
        }
    }
}
