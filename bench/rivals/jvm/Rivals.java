import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The driver of the systems in Java. What the kinds and their figures mean is said by the package workload
 * in Go; this is the same work in the same order, with the same random numbers.
 *
 * <p>Usage: {@code Rivals <system> <kind> key=value ...}. It warms up, writes "ready", and then does one
 * round for each line "go" on its standard input, until that ends.
 */
public final class Rivals {
    static final int WORKERS = 2;
    static final long MILLI = 1_000_000L;
    private static final long SECOND = 1000 * MILLI;
    static final long MINUTE = 60 * SECOND;
    static final long HOUR = 60 * MINUTE;

    private static final PrintStream out =
            new PrintStream(System.out, true, StandardCharsets.UTF_8); // flushes each line
    private static final com.sun.management.OperatingSystemMXBean machine =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Rivals() {}

    public static void main(String[] args) throws Exception {
        if (args.length == 1 && args[0].equals("about")) {
            about();
        } else if (args.length == 2 && args[1].equals("random")) {
            random();
        } else if (args.length >= 2) {
            try {
                serve(args[0], args[1], Params.parse(args));
            } catch (Exception e) {
                out.println(failure(e));
                System.exit(1);
            }
        } else {
            System.err.println("usage: Rivals <system> <kind> key=value ...");
            System.exit(2);
        }
        System.exit(0); // a system that failed may have left threads
    }

    // What follows is the protocol.

    private static void serve(String system, String kind, Params params) throws Exception {
        Kind k = new Work<>(system).kind(kind);
        warmUp(k, kind, params);
        out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            if (line.equals("go")) {
                String answer = answer(k, params);
                System.gc(); // before the answer, after which others are measured
                out.println(answer);
            }
        }
    }

    private static String answer(Kind kind, Params params) {
        try {
            return json(kind.round(params, () -> out.println("idle")));
        } catch (Throwable e) { // of memory, too
            return failure(e);
        }
    }

    private static String failure(Throwable e) {
        e.printStackTrace();
        return "{\"error\": " + quote(e.getMessage() == null ? e.toString() : e.getMessage()) + "}";
    }

    /**
     * Repeats the work until the hot path has been compiled. Work that takes long by its nature is repeated
     * in small, and then done once in full. What is too slow for now is told by the rounds.
     */
    private static void warmUp(Kind kind, String name, Params params) {
        long enough = params.or("warm_ms", params.or("quick", 0) == 1 ? 300 : 1000) * MILLI;
        Params small = params.small(name);
        long begin = System.nanoTime();
        for (int i = 0; i < 2 || System.nanoTime() - begin < enough; i++) {
            attempt(kind, small == null ? params : small);
        }
        if (small != null) {
            attempt(kind, params.quiet());
        }
    }

    private static void attempt(Kind kind, Params params) {
        try {
            kind.round(params, () -> {});
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            throw e; // it would never work
        } catch (Throwable e) {
            System.err.println("warming up: " + e);
        }
        System.gc();
    }

    private static String json(Map<String, Double> figures) {
        StringBuilder s = new StringBuilder("{");
        figures.forEach((name, value) -> {
            if (!Double.isFinite(value)) {
                throw new IllegalStateException(name + " is " + value);
            }
            s.append(s.length() > 1 ? ", " : "").append(quote(name)).append(": ").append(value);
        });
        return s.append("}").toString();
    }

    private static String quote(String text) {
        StringBuilder s = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                s.append('\\').append(c);
            } else {
                s.append(c < ' ' ? ' ' : c);
            }
        }
        return s.append('"').toString();
    }

    /** Says what it runs on: the virtual machine, the bytes of memory there are, and Netty if it is there. */
    private static void about() {
        out.println(System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        out.println(machine.getTotalMemorySize());
        try {
            out.println(Class.forName("NettyWheel").getMethod("version").invoke(null));
        } catch (ReflectiveOperationException | LinkageError e) {
            out.println();
        }
    }

    /** Writes the first numbers of the generator, which must be those of the generator in Go. */
    private static void random() {
        for (long n : new long[] {1000, 3_540_000_000_000L}) {
            Random r = new Random();
            for (int i = 0; i < 5; i++) {
                out.println(r.below(n));
            }
        }
    }

    /** The sizes of the work. */
    static final class Params {
        private final Map<String, Long> values = new HashMap<>();

        static Params parse(String[] args) {
            Params p = new Params();
            for (int i = 2; i < args.length; i++) {
                String[] pair = args[i].split("=", 2);
                p.values.put(pair[0], Long.parseLong(pair[1]));
            }
            return p;
        }

        long get(String name) {
            Long value = values.get(name);
            if (value == null) {
                throw new IllegalArgumentException("there is no " + name);
            }
            return value;
        }

        int count(String name) {
            return Math.toIntExact(get(name));
        }

        long or(String name, long otherwise) {
            return values.getOrDefault(name, otherwise);
        }

        /** Returns the sizes to warm up with, or null if the work is short anyway. */
        Params small(String kind) {
            switch (kind) {
                case "schedule-cancel":
                case "pairs":
                    return get("pending") < 1_000_000 ? null : with("pending", 10_000);
                case "lateness":
                case "mixed":
                case "served":
                    return with("for_ms", Math.max(1, get("for_ms") / 10));
                case "due":
                    return fewer().with("lead_ms", Math.max(1, get("lead_ms") / 10));
                case "cancelled":
                    return fewer().with("lead_ms", Math.max(1, get("lead_ms") / 4));
                case "pending":
                case "shutdown":
                case "idle":
                    return fewer().quiet();
                default:
                    return null;
            }
        }

        private Params fewer() {
            return with("n", Math.max(1, get("n") / 10));
        }

        /** Returns the same without the times in which nothing is done, which warm nothing. */
        Params quiet() {
            return values.containsKey("settle_ms") ? with("settle_ms", 0).with("for_ms", 0) : this;
        }

        private Params with(String name, long value) {
            Params p = new Params();
            p.values.putAll(values);
            p.values.put(name, value);
            return p;
        }
    }

    /** The generator of the contract, whose numbers are the same in every language. */
    static final class Random {
        private long state;

        Random() {
            state = 1;
        }

        /** The generator of the thread numbered i. */
        Random(int i) {
            state = i + 2;
        }

        long below(long n) {
            if (n <= 1L << 31) {
                return step() % n;
            }
            long above = step();
            return (above << 31 | step()) % n;
        }

        private long step() {
            state = state * 6364136223846793005L + 1442695040888963407L;
            return state >>> 33;
        }
    }

    /** One round of a kind of work, on a system made for it; idle is called when the quiet time begins. */
    interface Kind {
        Map<String, Double> round(Params params, Runnable idle) throws Exception;
    }

    // What follows are the systems.

    /**
     * A system at work: what it takes for a task is a T, and what it gives for a scheduled one an H. There is
     * one class of it in a process, so that calls of its methods are compiled as if they were direct.
     */
    abstract static class Facility<T, H> {
        /** Returns what may be scheduled any number of times. */
        abstract T task(Runnable run);

        abstract H schedule(T task, long delay);

        /** Cancels, and says whether that came before the run. */
        abstract boolean cancel(H scheduled);

        /** Schedules for a time of System.nanoTime. */
        H scheduleAt(T task, long time) {
            return schedule(task, Math.max(0, time - System.nanoTime()));
        }

        /** Runs at a fixed rate, first at a time of System.nanoTime. */
        abstract void repeat(Runnable run, long first, long period);

        /** Returns the period next to this one that the system can keep. */
        long period(long wanted) {
            return wanted;
        }

        /** Returns the pool that tasks without a delay are given to. */
        ExecutorService pool() {
            throw new UnsupportedOperationException("it is no pool");
        }

        /** Ends the system with all its threads; what has not begun does not run. */
        abstract void stop() throws Exception;
    }

    static Facility<?, ?> start(String system) throws Exception {
        switch (system) {
            case "jdk-scheduled":
            case "jdk25-stpe":
                return new JdkScheduled(new ScheduledThreadPoolExecutor(WORKERS));
            case "jdk25-forkjoin":
                return new JdkForkJoin();
            case "jdk-fixed":
                return new JdkFixed(new LinkedBlockingQueue<>(), new ThreadPoolExecutor.AbortPolicy());
            case "jdk-timer":
                return new JdkTimer();
            case "netty": // compiled on its own, as its library may be missing
                return (Facility<?, ?>) Class.forName("NettyWheel").getDeclaredConstructor().newInstance();
            default:
                throw new IllegalArgumentException("there is no system " + system);
        }
    }

    /** Starts a system that tells of failures, and of the end of each run. */
    static Facility<?, ?> startServing(String system) {
        if (system.equals("jdk-scheduled") || system.equals("jdk25-stpe")) {
            return new JdkScheduled(new Serving());
        }
        throw new UnsupportedOperationException("it has no hooks");
    }

    /** Starts a system in which so many tasks may wait, and who submits more waits, too. */
    static Facility<?, ?> startBounded(String system, int capacity) {
        if (system.equals("jdk-fixed")) {
            return new JdkFixed(new ArrayBlockingQueue<>(capacity), Rivals::waitForRoom);
        }
        throw new UnsupportedOperationException("it has no bound");
    }

    private static void waitForRoom(Runnable task, ThreadPoolExecutor pool) {
        try {
            pool.getQueue().put(task);
        } catch (InterruptedException e) { // nobody interrupts it
            throw new RejectedExecutionException(e);
        }
    }

    /** A pool that has its failures found as its documentation says, in the hook that it has after each run. */
    private static final class Serving extends ScheduledThreadPoolExecutor {
        private final AtomicInteger failures = new AtomicInteger();

        Serving() {
            super(WORKERS);
        }

        @Override
        protected void afterExecute(Runnable run, Throwable failure) {
            super.afterExecute(run, failure);
            if (failure != null || hasFailed(run)) {
                failures.incrementAndGet();
            }
        }

        private static boolean hasFailed(Runnable run) {
            if (!(run instanceof Future<?>) || !((Future<?>) run).isDone()) {
                return false;
            }
            try {
                ((Future<?>) run).get();
                return false;
            } catch (Exception e) {
                return true;
            }
        }
    }

    /** Makes threads, and waits for their end: a pool has terminated a little before its threads have. */
    static final class Threads implements ThreadFactory {
        private final List<Thread> made = Collections.synchronizedList(new ArrayList<>());

        @Override
        public Thread newThread(Runnable run) {
            Thread t = new Thread(run);
            made.add(t);
            return t;
        }

        void join() throws InterruptedException {
            for (Thread t : made.toArray(new Thread[0])) {
                t.join();
            }
        }
    }

    static final class JdkScheduled extends Facility<Runnable, ScheduledFuture<?>> {
        private final Threads threads = new Threads();
        private final ScheduledThreadPoolExecutor pool;

        JdkScheduled(ScheduledThreadPoolExecutor pool) {
            this.pool = pool;
            pool.setThreadFactory(threads);
            pool.setRemoveOnCancelPolicy(true);
            pool.prestartAllCoreThreads();
        }

        @Override
        Runnable task(Runnable run) {
            return run;
        }

        @Override
        ScheduledFuture<?> schedule(Runnable task, long delay) {
            return pool.schedule(task, delay, TimeUnit.NANOSECONDS);
        }

        @Override
        boolean cancel(ScheduledFuture<?> scheduled) {
            return scheduled.cancel(false);
        }

        @Override
        void repeat(Runnable run, long first, long period) {
            pool.scheduleAtFixedRate(run, first - System.nanoTime(), period, TimeUnit.NANOSECONDS);
        }

        @Override
        ExecutorService pool() {
            return pool;
        }

        @Override
        void stop() throws InterruptedException {
            pool.shutdownNow();
            threads.join();
        }
    }

    static final class JdkFixed extends Facility<Runnable, Void> {
        private final Threads threads = new Threads();
        private final ThreadPoolExecutor pool;

        JdkFixed(BlockingQueue<Runnable> queue, RejectedExecutionHandler full) {
            pool = new ThreadPoolExecutor(WORKERS, WORKERS, 0, TimeUnit.MILLISECONDS, queue, threads, full);
            pool.prestartAllCoreThreads();
        }

        @Override
        Runnable task(Runnable run) {
            return run;
        }

        @Override
        Void schedule(Runnable task, long delay) {
            throw new UnsupportedOperationException("it knows no delays");
        }

        @Override
        boolean cancel(Void scheduled) {
            return false;
        }

        @Override
        void repeat(Runnable run, long first, long period) {
            throw new UnsupportedOperationException("it knows no periods");
        }

        @Override
        ExecutorService pool() {
            return pool;
        }

        @Override
        void stop() throws InterruptedException {
            pool.shutdownNow();
            threads.join();
        }
    }

    /**
     * The timer counts in milliseconds of the calendar. Delays and times are rounded up, so that runs at a
     * given time are not early.
     *
     * <p>A task that is cancelled stays in its queue until it is due or the user purges. Users of many must,
     * so this one does after each PURGE of them, and the time for it is measured like any other.
     */
    static final class JdkTimer extends Facility<Runnable, TimerTask> {
        private static final int PURGE = 100_000;

        private final Timer timer = new Timer();
        private final Thread thread;
        private final long calendar; // its nanoseconds at a System.nanoTime of 0
        private final AtomicInteger cancelled = new AtomicInteger(); // since the last purge, more or less

        JdkTimer() throws InterruptedException {
            Thread[] runner = new Thread[1]; // the timer tells nobody its thread
            Gate started = new Gate();
            started.begin(1);
            schedule(() -> {
                runner[0] = Thread.currentThread();
                started.run();
            }, 0);
            started.await();
            thread = runner[0];
            Instant now = Instant.now();
            calendar = now.getEpochSecond() * 1000 * MILLI + now.getNano() - System.nanoTime();
        }

        /** A task of this timer may be scheduled once only. */
        private static final class Once extends TimerTask {
            private final Runnable run;

            Once(Runnable run) {
                this.run = run;
            }

            @Override
            public void run() {
                run.run();
            }
        }

        @Override
        Runnable task(Runnable run) {
            return run;
        }

        @Override
        TimerTask schedule(Runnable task, long delay) {
            TimerTask t = new Once(task);
            timer.schedule(t, up(delay));
            return t;
        }

        @Override
        TimerTask scheduleAt(Runnable task, long time) {
            TimerTask t = new Once(task);
            timer.schedule(t, date(time));
            return t;
        }

        private Date date(long time) {
            return new Date(up(time + calendar));
        }

        private static long up(long nanos) {
            return (nanos + MILLI - 1) / MILLI;
        }

        @Override
        boolean cancel(TimerTask scheduled) {
            boolean before = scheduled.cancel();
            if (cancelled.incrementAndGet() == PURGE) {
                cancelled.set(0);
                timer.purge();
            }
            return before;
        }

        @Override
        void repeat(Runnable run, long first, long period) {
            timer.scheduleAtFixedRate(new Once(run), date(first), period / MILLI);
        }

        @Override
        long period(long wanted) {
            return Math.max(1, wanted / MILLI) * MILLI;
        }

        @Override
        void stop() throws InterruptedException {
            timer.cancel();
            thread.join();
        }
    }

    // What follows are the kinds.

    /** Counts runs down to nothing, as cheaply as a WaitGroup of Go. One thread begins and waits. */
    static final class Gate extends AtomicInteger implements Runnable {
        private static final long serialVersionUID = 1;

        private final transient Thread waiter = Thread.currentThread();
        private long end; // of the last run, set before over
        private volatile boolean over;

        void begin(int runs) {
            over = runs == 0;
            set(runs);
        }

        @Override
        public void run() {
            if (decrementAndGet() == 0) {
                end = System.nanoTime();
                over = true;
                LockSupport.unpark(waiter);
            }
        }

        /** Waits until all have run, and returns when the last did. */
        long await() {
            while (!over) {
                LockSupport.park(this);
            }
            return end;
        }
    }

    /** A task that counts its runs and returns how many there were. */
    static final class Number extends AtomicInteger implements Callable<Integer> {
        private static final long serialVersionUID = 1;

        @Override
        public Integer call() {
            return incrementAndGet();
        }

        void check(long wanted) {
            if (get() != wanted) {
                throw new IllegalStateException(get() + " tasks have run, not " + wanted);
            }
        }
    }

    /** A task at a fixed rate that notes how late its runs are, the first so many of them. */
    static final class Beat implements Runnable {
        private final long period;
        private final long[] lates;
        private long first; // set before the first run
        private int runs;

        Beat(long period, long span) {
            this.period = period;
            lates = new long[(int) (span / period) + 1];
        }

        @Override
        public void run() {
            if (runs < lates.length) {
                lates[runs] = System.nanoTime() - (first + runs * period);
                runs++;
            }
        }

        /**
         * Puts those planned within a time into all, from index n, and returns the index behind them. What
         * has not started is late by the end at least.
         */
        int collect(long from, long end, long[] all, int n) {
            for (int i = 0; first + i * period < end; i++) {
                long planned = first + i * period;
                long late = i < runs ? lates[i] : end - planned;
                if (planned >= from) {
                    all[n++] = Math.max(0, late); // the calendar may be adjusted meanwhile
                }
            }
            return n;
        }

        /** Returns how many runs are planned before a time, at most. */
        int room(long end) {
            return (int) (Math.max(0, end - first) / period) + 1;
        }
    }

    /**
     * Processor time of the process from now on. The virtual machine counts it in hundredths of a second, so
     * where the kernel keeps an account of each thread in nanoseconds, that is added up instead.
     */
    static final class Processor {
        private static final Path TASKS = Path.of("/proc/self/task");

        private final Map<String, Long> before = accounts();
        private final long coarse = machine.getProcessCpuTime();

        long used() {
            Map<String, Long> now = accounts();
            if (before.isEmpty() || !now.keySet().containsAll(before.keySet())) { // one that ended took its own along
                return machine.getProcessCpuTime() - coarse;
            }
            long sum = 0;
            for (Map.Entry<String, Long> thread : now.entrySet()) {
                sum += thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
            }
            return sum;
        }

        private static Map<String, Long> accounts() {
            Map<String, Long> all = new HashMap<>();
            try (DirectoryStream<Path> threads = Files.newDirectoryStream(TASKS)) {
                for (Path t : threads) {
                    String account = Files.readString(t.resolve("schedstat"));
                    all.put(t.getFileName().toString(), Long.parseLong(account.split(" ")[0]));
                }
            } catch (IOException | DirectoryIteratorException e) {
                return Collections.emptyMap(); // no such kernel, or a thread has just ended
            }
            return all;
        }
    }

    /** Measures from when it is made: the clock, and what the process uses of the processors. */
    static final class Meter {
        private final Processor processor = new Processor();
        private final long begin = System.nanoTime();

        /** Returns what each of so many tasks has taken up to now. */
        Map<String, Double> per(long tasks) {
            return until(System.nanoTime(), tasks);
        }

        /** Returns the same of tasks that have come to their end before. */
        Map<String, Double> until(long end, long tasks) {
            return since(begin, end, tasks);
        }

        /** Returns the same, by a clock that was started later. */
        Map<String, Double> since(long from, long end, long tasks) {
            long used = processor.used();
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("ns", (double) Math.max(0, end - from) / tasks);
            figures.put("cpu_ns", (double) Math.max(0, used) / tasks);
            return figures;
        }
    }

    /** All kinds of work on one system. */
    static final class Work<T, H> {
        private final String system;

        Work(String system) {
            this.system = system;
        }

        private Facility<T, H> start() throws Exception {
            return of(Rivals.start(system));
        }

        @SuppressWarnings("unchecked") // T and H are the system's own
        private Facility<T, H> of(Facility<?, ?> started) {
            return (Facility<T, H>) started;
        }

        /** What a crowd does in a round. */
        private interface CrowdWork<T, H> {
            Map<String, Double> round(Crowd<T, H> crowd) throws Exception;
        }

        private Map<String, Double> crowd(CrowdWork<T, H> work) throws Exception {
            Facility<T, H> f = start();
            try {
                return work.round(new Crowd<>(f));
            } finally {
                f.stop();
            }
        }

        private Map<String, Double> pairs(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                Object[] kept = new Object[p.count("pending")];
                fill(f, kept, new Random(), MINUTE, HOUR);
                return new Crowd<>(f).pairs(p, kept);
            } finally {
                f.stop();
            }
        }

        Kind kind(String name) {
            switch (name) {
                case "schedule-cancel":
                    return this::scheduleCancel;
                case "pairs":
                    return this::pairs;
                case "timeouts":
                    return (p, idle) -> crowd(c -> c.timeouts(p));
                case "soon":
                    return this::soon;
                case "due":
                    return this::due;
                case "execute":
                    return this::execute;
                case "producers":
                    return (p, idle) -> produce(start(), p);
                case "bounded":
                    return (p, idle) -> produce(of(startBounded(system, p.count("capacity"))), p);
                case "service":
                    return this::service;
                case "askers":
                    return (p, idle) -> crowd(c -> c.askers(p));
                case "submit-get":
                    return this::submitGet;
                case "fan-out":
                    return this::fanOut;
                case "lateness":
                    return (p, idle) -> rates(start(), p, false);
                case "mixed":
                    return (p, idle) -> rates(start(), p, true);
                case "served":
                    return (p, idle) -> rates(of(startServing(system)), p, false);
                case "cancelled":
                    return this::cancelled;
                case "pending":
                    return this::pending;
                case "idle":
                    return this::idle;
                case "shutdown":
                    return this::shutdown;
                default:
                    throw new IllegalArgumentException("there is no kind " + name);
            }
        }

        private static Map<String, Double> one(String name, double value) {
            return Collections.singletonMap(name, value);
        }

        /** Schedules n tasks, far ahead, and keeps what the system gives for them. */
        private void fill(Facility<T, H> f, Object[] kept, Random random, long soonest, long latest) {
            T task = f.task(new Gate());
            for (int i = 0; i < kept.length; i++) {
                kept[i] = f.schedule(task, soonest + random.below(latest - soonest));
            }
            Gate moved = new Gate(); // what was scheduled before it has found its place when it has run
            moved.begin(1);
            f.schedule(f.task(moved), 1); // with 0, a system may let it pass
            moved.await();
        }

        private Map<String, Double> scheduleCancel(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                Random random = new Random();
                Object[] kept = new Object[p.count("pending")];
                fill(f, kept, random, MINUTE, HOUR);
                System.gc();
                long ops = p.get("ops");
                Meter m = new Meter();
                pairs(f, f.task(new Gate()), random, ops);
                Map<String, Double> figures = m.per(ops);
                Reference.reachabilityFence(kept);
                return figures;
            } finally {
                f.stop();
            }
        }

        private void pairs(Facility<T, H> f, T task, Random random, long ops) {
            for (long i = 0; i < ops; i++) {
                f.cancel(f.schedule(task, MINUTE + random.below(HOUR - MINUTE)));
            }
        }

        private Map<String, Double> soon(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                int n = p.count("n");
                Random random = new Random();
                Gate gate = new Gate();
                T task = f.task(gate);
                System.gc();
                gate.begin(n);
                Meter m = new Meter();
                for (int i = 0; i < n; i++) {
                    f.schedule(task, random.below(MILLI));
                }
                return m.until(gate.await(), n);
            } finally {
                f.stop();
            }
        }

        private Map<String, Double> due(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                int n = p.count("n");
                Gate gate = new Gate();
                T task = f.task(gate);
                System.gc();
                gate.begin(n);
                long instant = System.nanoTime() + p.get("lead_ms") * MILLI;
                for (int i = 0; i < n; i++) {
                    f.scheduleAt(task, instant);
                }
                Meter m = new Meter(); // of the processors: until the instant there is nothing to do
                if (System.nanoTime() >= instant) {
                    throw new IllegalStateException("not all were scheduled before they were due");
                }
                // Timer goes by the wall clock, in milliseconds, and may be early by part of one.
                return m.since(instant, gate.await(), n);
            } finally {
                f.stop();
            }
        }

        private Map<String, Double> execute(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                int batch = p.count("batch");
                long batches = p.get("batches");
                ExecutorService pool = f.pool();
                Gate gate = new Gate();
                System.gc();
                Meter m = new Meter();
                for (long b = 0; b < batches; b++) {
                    gate.begin(batch);
                    give(pool, gate, batch);
                    gate.await();
                }
                return m.per(batch * batches);
            } finally {
                f.stop();
            }
        }

        /** As execute, beside series, with hooks, and with tasks that look whether they should go on. */
        private Map<String, Double> service(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = of(startServing(system));
            try {
                int series = p.count("series");
                for (int i = 0; i < series; i++) {
                    f.repeat(() -> {}, System.nanoTime() + SECOND * i / series, SECOND);
                }
                int batch = p.count("batch");
                long batches = p.get("batches");
                ExecutorService pool = f.pool();
                Gate gate = new Gate();
                Runnable heeding = () -> {
                    if (!Thread.currentThread().isInterrupted()) {
                        gate.run();
                    }
                };
                System.gc();
                Meter m = new Meter();
                for (long b = 0; b < batches; b++) {
                    gate.begin(batch);
                    give(pool, heeding, batch);
                    gate.await();
                }
                return m.per(batch * batches);
            } finally {
                f.stop();
            }
        }

        private static void give(Executor pool, Runnable task, int tasks) {
            for (int i = 0; i < tasks; i++) {
                pool.execute(task);
            }
        }

        /** The producers are there for the whole round, and wait for each other before each batch. */
        private Map<String, Double> produce(Facility<T, H> f, Params p) throws Exception {
            Threads threads = new Threads();
            try {
                int batch = p.count("batch");
                int batches = p.count("batches");
                int producers = p.count("producers");
                ExecutorService pool = f.pool();
                Gate gate = new Gate();
                CyclicBarrier together = new CyclicBarrier(producers + 1);
                for (int i = 0; i < producers; i++) {
                    int share = (int) ((long) batch * (i + 1) / producers - (long) batch * i / producers);
                    threads.newThread(() -> produce(pool, gate, share, batches, together)).start();
                }
                System.gc();
                Meter m = new Meter();
                for (int b = 0; b < batches; b++) {
                    gate.begin(batch);
                    together.await();
                    gate.await();
                }
                Map<String, Double> figures = m.per((long) batch * batches);
                together.await(); // until here the threads stay, and with them what they have used
                return figures;
            } finally {
                threads.join();
                f.stop();
            }
        }

        private static void produce(
                Executor pool, Gate gate, int share, int batches, CyclicBarrier together) {
            try {
                for (int b = 0; b < batches; b++) {
                    together.await();
                    give(pool, gate, share);
                }
                together.await();
            } catch (Exception e) { // nobody interrupts it
                throw new IllegalStateException(e);
            }
        }

        private Map<String, Double> submitGet(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                long ops = p.get("ops");
                Number number = new Number();
                ExecutorService pool = f.pool();
                System.gc();
                Meter m = new Meter();
                for (long i = 0; i < ops; i++) {
                    pool.submit(number).get();
                }
                Map<String, Double> figures = m.per(ops);
                number.check(ops);
                return figures;
            } finally {
                f.stop();
            }
        }

        private Map<String, Double> fanOut(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                long ops = p.get("ops");
                Number number = new Number();
                List<Number> tasks = Collections.nCopies(p.count("width"), number);
                ExecutorService pool = f.pool();
                System.gc();
                Meter m = new Meter();
                for (long i = 0; i < ops; i++) {
                    pool.invokeAll(tasks);
                }
                Map<String, Double> figures = m.per(ops * tasks.size());
                number.check(ops * tasks.size());
                return figures;
            } finally {
                f.stop();
            }
        }

        /**
         * Runs tasks at fixed rates: of one period, spread evenly over it, or of mixed periods. The time
         * counts from when all have been scheduled, which should take no longer than that.
         */
        private Map<String, Double> rates(Facility<T, H> f, Params p, boolean mixed) throws Exception {
            Beat[] beats = new Beat[p.count("n")];
            long from;
            long end;
            long used;
            try {
                long span = p.get("for_ms") * MILLI;
                long[] delays = plan(f, beats, p.get("period_us") * 1000, 2 * span, mixed);
                System.gc();
                for (int i = 0; i < beats.length; i++) {
                    beats[i].first = System.nanoTime() + delays[i];
                    f.repeat(beats[i], beats[i].first, beats[i].period);
                }
                long begin = System.nanoTime();
                from = begin + span / 10;
                end = begin + span;
                sleepUntil(from);
                Processor processor = new Processor();
                sleepUntil(end);
                used = processor.used();
            } finally {
                f.stop(); // which makes what the beats have noted visible, too
            }
            Map<String, Double> figures = late(beats, from, end);
            figures.put("cpu", (double) used / (end - from));
            return figures;
        }

        /** Makes the tasks, and returns the delays of their first runs. */
        private long[] plan(Facility<T, H> f, Beat[] beats, long period, long room, boolean mixed) {
            Random random = new Random();
            long[] delays = new long[beats.length];
            for (int i = 0; i < beats.length; i++) {
                long wanted = mixed ? period + random.below(9 * period) : period;
                delays[i] = mixed ? random.below(wanted) : period * i / beats.length;
                beats[i] = new Beat(f.period(wanted), room);
            }
            return delays;
        }

        private static void sleepUntil(long time) throws InterruptedException {
            TimeUnit.NANOSECONDS.sleep(time - System.nanoTime());
        }

        private static Map<String, Double> late(Beat[] beats, long from, long end) {
            int room = 0;
            for (Beat b : beats) {
                room += b.room(end);
            }
            long[] all = new long[room];
            int n = 0;
            for (Beat b : beats) {
                n = b.collect(from, end, all, n);
            }
            if (n == 0) {
                throw new IllegalStateException("there was no run");
            }
            Arrays.sort(all, 0, n);
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("p50_us", all[(int) Math.ceil(0.5 * n) - 1] / 1e3);
            figures.put("p99_us", all[(int) Math.ceil(0.99 * n) - 1] / 1e3);
            figures.put("p999_us", all[(int) Math.ceil(0.999 * n) - 1] / 1e3);
            return figures;
        }

        @SuppressWarnings("unchecked")
        private Map<String, Double> cancelled(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                Random random = new Random();
                long lead = p.get("lead_ms") * MILLI;
                long[] delays = new long[p.count("n")];
                for (int i = 0; i < delays.length; i++) {
                    delays[i] = lead + random.below(lead);
                }
                boolean[] chosen = new boolean[delays.length];
                int kept = delays.length;
                for (int i = 0; i < chosen.length; i++) {
                    chosen[i] = random.below(1000) < p.get("permille");
                    kept -= chosen[i] ? 1 : 0;
                }
                Gate gate = new Gate();
                gate.begin(kept);
                AtomicInteger wrong = new AtomicInteger();
                T keep = f.task(gate);
                T drop = f.task(wrong::incrementAndGet);
                Object[] scheduled = new Object[delays.length];
                System.gc();
                Processor processor = new Processor();
                for (int i = 0; i < delays.length; i++) {
                    scheduled[i] = f.schedule(chosen[i] ? drop : keep, delays[i]);
                }
                for (int i = 0; i < delays.length; i++) {
                    if (chosen[i]) {
                        f.cancel((H) scheduled[i]);
                    }
                }
                gate.await();
                double used = processor.used();
                if (wrong.get() > 0) {
                    throw new IllegalStateException(wrong + " tasks have run before they were cancelled");
                }
                return one("cpu_ns", used / delays.length);
            } finally {
                f.stop();
            }
        }

        private Map<String, Double> pending(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                Object[] kept = new Object[p.count("n")];
                long before = heap();
                fill(f, kept, new Random(), HOUR, 2 * HOUR);
                double grown = heap() - before;
                Reference.reachabilityFence(kept);
                return one("bytes", grown / kept.length);
            } finally {
                f.stop();
            }
        }

        /**
         * Returns how much of the heap is in use. There are collectors that compact in full at every fourth
         * time only, and what has a finalizer, as wheels of earlier rounds have, outlives one of them.
         */
        private static long heap() throws InterruptedException {
            System.gc();
            Thread.sleep(50); // for the finalizers
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 4; i++) {
                System.gc();
                least = Math.min(least, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
            }
            return least;
        }

        private Map<String, Double> idle(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            try {
                Object[] kept = new Object[p.count("n")];
                fill(f, kept, new Random(), HOUR, 2 * HOUR);
                System.gc();
                Thread.sleep(p.get("settle_ms"));
                idle.run();
                Thread.sleep(p.get("for_ms"));
                Reference.reachabilityFence(kept);
                return Collections.emptyMap();
            } finally {
                f.stop();
            }
        }

        private Map<String, Double> shutdown(Params p, Runnable idle) throws Exception {
            Facility<T, H> f = start();
            Object[] kept = new Object[p.count("n")];
            fill(f, kept, new Random(), HOUR, 2 * HOUR);
            System.gc();
            Meter m = new Meter();
            f.stop();
            Map<String, Double> taken = m.per(MILLI);
            Reference.reachabilityFence(kept);
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("ms", taken.get("ns"));
            figures.put("cpu_ms", taken.get("cpu_ns"));
            return figures;
        }
    }
}
