import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicReference;

/** The kinds of work that several threads do at once on one system. */
final class Crowd<T, H> {
    private static final long TIMEOUT = 30_000 * Rivals.MILLI;

    private final Rivals.Facility<T, H> f;
    private final List<Part> parts = new ArrayList<>();

    Crowd(Rivals.Facility<T, H> f) {
        this.f = f;
    }

    /** What one thread does. */
    interface Part {
        void run() throws Exception;
    }

    /** Schedules and cancels; of two tasks that one schedules, the second is cancelled by its partner. */
    Map<String, Double> pairs(Rivals.Params p, Object[] kept) throws Exception {
        int n = p.count("goroutines");
        long ops = p.get("ops");
        List<HandOver.Courier<T, H>> couriers = new ArrayList<>();
        for (int i = 0; i < n; i += 2) {
            HandOver.Lane there = i + 1 < n ? new HandOver.Lane() : null;
            HandOver.Lane back = i + 1 < n ? new HandOver.Lane() : null;
            couriers.add(new HandOver.Courier<>(f, there, back));
            if (there != null) {
                couriers.add(new HandOver.Courier<>(f, back, there));
            }
        }
        for (int i = 0; i < n; i++) {
            long share = share(ops, n, i);
            HandOver.Courier<T, H> c = couriers.get(i);
            Rivals.Random random = new Rivals.Random(i);
            parts.add(() -> pairsOf(c, share, random));
        }
        Map<String, Double> figures = cancelling(couriers, ops);
        Reference.reachabilityFence(kept);
        return figures;
    }

    private void pairsOf(HandOver.Courier<T, H> c, long share, Rivals.Random random) throws Exception {
        T task = f.task(() -> {});
        boolean alone = !c.hasPartner();
        for (long k = 0; k < share; k++) {
            H scheduled = f.schedule(task, Rivals.MINUTE + random.below(Rivals.HOUR - Rivals.MINUTE));
            if (alone || k % 2 == 0) {
                c.cancel(scheduled);
            } else {
                c.hand(scheduled);
            }
        }
        if (!alone) {
            c.end();
            c.empty();
        }
    }

    /** Servers set timeouts, which others cancel. */
    Map<String, Double> timeouts(Rivals.Params p) throws Exception {
        int servers = p.count("servers");
        long ops = p.get("ops");
        List<HandOver.Courier<T, H>> couriers = new ArrayList<>();
        for (int i = 0; i < servers; i++) {
            long share = share(ops, servers, i);
            HandOver.Lane requests = new HandOver.Lane();
            HandOver.Courier<T, H> server = new HandOver.Courier<>(f, requests, null);
            HandOver.Courier<T, H> partner = new HandOver.Courier<>(f, null, requests);
            couriers.add(server);
            couriers.add(partner);
            parts.add(() -> serve(server, share));
            parts.add(partner::empty);
        }
        return cancelling(couriers, ops);
    }

    private void serve(HandOver.Courier<T, H> c, long share) throws Exception {
        T task = f.task(() -> {});
        for (long k = 0; k < share; k++) {
            c.hand(f.schedule(task, TIMEOUT));
        }
        c.end();
    }

    /** Does all parts, which must cancel so many tasks. */
    private Map<String, Double> cancelling(List<HandOver.Courier<T, H>> couriers, long ops) throws Exception {
        Map<String, Double> figures = together(ops, () -> {
            Rivals.Gate behind = new Rivals.Gate(); // all that has been sent has been dealt with when it has run
            behind.begin(1);
            f.schedule(f.task(behind), 1);
            behind.await();
        });
        long cancelled = 0;
        for (HandOver.Courier<T, H> c : couriers) {
            cancelled += c.cancelled();
        }
        if (cancelled != ops) {
            throw new IllegalStateException(cancelled + " tasks were cancelled, not " + ops);
        }
        return figures;
    }

    /** Submits tasks and waits for their results, each thread one by one. */
    Map<String, Double> askers(Rivals.Params p) throws Exception {
        int n = p.count("askers");
        long ops = p.get("ops");
        ExecutorService pool = f.pool();
        Rivals.Number[] numbers = new Rivals.Number[n];
        for (int i = 0; i < n; i++) {
            long share = share(ops, n, i);
            Rivals.Number number = numbers[i] = new Rivals.Number();
            parts.add(() -> {
                for (long k = 0; k < share; k++) {
                    pool.submit(number).get();
                }
            });
        }
        Map<String, Double> figures = together(ops, () -> {});
        for (int i = 0; i < n; i++) {
            numbers[i].check(share(ops, n, i));
        }
        return figures;
    }

    private static long share(long work, long n, long i) {
        return work * (i + 1) / n - work * i / n;
    }

    /**
     * Does all parts at once, and measures from when all threads are there to the end of the last; of the
     * processors, until what comes after has been done. The threads stay until then, or what they have used
     * would go with them.
     */
    private Map<String, Double> together(long ops, Part after) throws Exception {
        Rivals.Threads threads = new Rivals.Threads();
        CountDownLatch there = new CountDownLatch(parts.size());
        CountDownLatch begin = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(parts.size());
        CountDownLatch measured = new CountDownLatch(1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (Part part : parts) {
            threads.newThread(() -> {
                try {
                    there.countDown();
                    begin.await();
                    part.run();
                } catch (Throwable e) {
                    failure.set(e);
                }
                done.countDown();
                waitFor(measured);
            }).start();
        }
        System.gc();
        there.await();
        try {
            Rivals.Meter m = new Rivals.Meter();
            begin.countDown();
            done.await();
            long end = System.nanoTime();
            after.run();
            Map<String, Double> figures = m.until(end, ops);
            if (failure.get() != null) {
                throw new IllegalStateException(failure.get());
            }
            return figures;
        } finally {
            measured.countDown();
            threads.join();
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) { // nobody interrupts it
            throw new IllegalStateException(e);
        }
    }
}
