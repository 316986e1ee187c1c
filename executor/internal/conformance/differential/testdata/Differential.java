import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

/**
 * Runs scripts on the JDK's own executors and timers, in real time, and prints what happened. Each
 * line of the input is a script, and each of the output its number and history, or "!" if the
 * machine disturbed it each time: an event came too far from the grid, or from where it had to be.
 * The Go side says what lines mean.
 */
public class Differential {
    static final long GRID = Long.getLong("grid", 10) * 1_000_000;
    static final int TRIES = 12;
    static final int SPREAD = 40; // instants over which scripts begin
    static final long STALL = 24_000_000; // what is too long for a machine to stand still
    static final int CLASSES = 3; // of instants: tasks come at one, bodies end at the next
    static final int ENDING = 1;
    static final int LONGEST = 50; // what a task of a timer lasts

    static volatile long stalled = System.nanoTime(); // when the machine has last stood still

    /** Looks whether the machine stands still, which may shift a script by whole instants. */
    static void watch() {
        for (long last = System.nanoTime(), now;; last = now) {
            LockSupport.parkNanos(GRID / 4);
            now = System.nanoTime();
            if (now - last > Math.max(GRID * 3 / 4, STALL)) {
                stalled = now;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        var in = new BufferedReader(new InputStreamReader(System.in));
        // The thread of a timer dies of what a task throws, and needs not tell.
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> { });
        var watcher = new Thread(Differential::watch);
        watcher.setDaemon(true);
        watcher.start();
        var controllers = Executors.newFixedThreadPool(Integer.getInteger("parallel", 60));
        int n = 0;
        for (String line; (line = in.readLine()) != null; n++) {
            int number = n;
            String script = line;
            controllers.execute(() -> {
                String history = "!";
                try {
                    for (int i = 0; i < TRIES && history.equals("!"); i++) {
                        history = new Trial(script).run();
                    }
                } catch (Throwable e) {
                    history = "failed: " + e;
                }
                synchronized (System.out) {
                    System.out.println(number + " " + history);
                }
            });
        }
        controllers.shutdown();
        controllers.awaitTermination(1, TimeUnit.DAYS);
        System.exit(0);
    }

    /** One script, once. */
    static class Trial {
        final int[] head;
        final int[][] commands;
        final List<String> events = new ArrayList<>(); // time and token
        final List<String> results = new ArrayList<>();
        final Map<Integer, Future<?>> futures = new TreeMap<>();
        final Map<Integer, TimerTask> timerTasks = new TreeMap<>();
        final Map<Runnable, Integer> numbers = new ConcurrentHashMap<>();
        volatile boolean disturbed;
        long begun;
        ThreadPoolExecutor pool;
        Timer timer;

        Trial(String script) {
            String[] parts = script.split("\\|");
            head = ints(parts[0]);
            String[] list = parts[1].split(";");
            commands = new int[list.length][];
            for (int i = 0; i < list.length; i++) {
                commands[i] = ints(list[i]);
            }
        }

        static int[] ints(String text) {
            return Arrays.stream(text.trim().split(" ")).mapToInt(Integer::parseInt).toArray();
        }

        String run() {
            // Scripts that run beside each other do not do the same at the same instant.
            begun = System.nanoTime() + ThreadLocalRandom.current().nextLong(SPREAD * GRID) + GRID;
            make();
            long last = -1;
            for (int i = 0; i < commands.length; i++) {
                // What a task held up that its caller ran comes one by one, each in its class: a
                // worker that is being woken has then taken what it was woken for.
                long at = commands[i][1];
                if (at <= last || System.nanoTime() - begun >= (at + 1) * GRID) {
                    at = next(Math.max(last, now()), at % CLASSES);
                }
                last = at;
                until(begun + at * GRID);
                onTime(at);
                if (disturbed) {
                    abandon();
                    return "!";
                }
                try {
                    command(i, commands[i]);
                } catch (RejectedExecutionException | IllegalStateException e) {
                    result("r" + i);
                } catch (IllegalArgumentException e) {
                    // What a task that its caller runs throws, its caller gets.
                }
            }
            finish();
            if (disturbed || stalled - begun > 0) {
                return "!";
            }
            synchronized (events) {
                events.sort(null);
                var out = new StringBuilder();
                for (String e : events) {
                    out.append(e.substring(6)).append(' ');
                }
                for (String r : results) {
                    out.append(r).append(' ');
                }
                return out.toString().trim();
            }
        }

        void make() {
            if (head[0] == 2) {
                timer = new Timer(true);
                return;
            }
            if (head[0] == 0) {
                var p = new ScheduledThreadPoolExecutor(head[1]);
                p.setRemoveOnCancelPolicy(true);
                p.setContinueExistingPeriodicTasksAfterShutdownPolicy(head[6] == 1);
                p.setExecuteExistingDelayedTasksAfterShutdownPolicy(head[7] == 1);
                pool = p;
                return;
            }
            BlockingQueue<Runnable> queue = switch (head[3]) {
                case 0 -> new LinkedBlockingQueue<>();
                case 1 -> new ArrayBlockingQueue<>(head[4]);
                case 2 -> new SynchronousQueue<>();
                default -> new PriorityBlockingQueue<>();
            };
            RejectedExecutionHandler handler = switch (head[5]) {
                case 0 -> new ThreadPoolExecutor.AbortPolicy();
                case 1 -> new ThreadPoolExecutor.CallerRunsPolicy();
                case 2 -> new ThreadPoolExecutor.DiscardPolicy();
                default -> new ThreadPoolExecutor.DiscardOldestPolicy();
            };
            pool = new ThreadPoolExecutor(head[1], head[2], 1, TimeUnit.HOURS, queue, handler);
        }

        void command(int i, int[] c) {
            if (timer != null) {
                timerCommand(i, c);
                return;
            }
            switch (c[0]) {
                case 0 -> {
                    var body = new Body(i, c[3], c[4], c[5], c[6]);
                    Future<?> f = pool instanceof ScheduledThreadPoolExecutor p
                        ? p.schedule(body, c[2] * GRID, NANOSECONDS)
                        : pool.submit(body);
                    futures.put(i, f);
                    numbers.put((Runnable) f, i);
                }
                case 1, 2 -> {
                    var p = (ScheduledThreadPoolExecutor) pool;
                    var body = new Body(i, c[4], c[5], c[6], 0);
                    Future<?> f = c[0] == 1
                        ? p.scheduleAtFixedRate(body, c[2] * GRID, c[3] * GRID, NANOSECONDS)
                        : p.scheduleWithFixedDelay(body, c[2] * GRID, c[3] * GRID, NANOSECONDS);
                    futures.put(i, f);
                    numbers.put((Runnable) f, i);
                }
                case 3 -> {
                    var f = futures.get(c[2]);
                    if (f != null) {
                        result("c" + i + "=" + (f.cancel(c[3] == 1) ? 1 : 0));
                        pool.purge(); // a ThreadPoolExecutor keeps it in the queue
                    }
                }
                case 4 -> pool.shutdown();
                case 5 -> {
                    var left = new ArrayList<Integer>();
                    for (Runnable r : pool.shutdownNow()) {
                        left.add(numbers.get(r));
                    }
                    if (head[0] == 0 || head[3] == 3) {
                        left.sort(null);
                    }
                    result("n" + i + "=" + left.toString().replace(" ", ""));
                }
                case 6 ->
                    result("q" + i + "=" + pool.getActiveCount() + "," + pool.getQueue().size());
                case 7 -> {
                    var body = new Body(i, c[3], c[4], c[5], c[6]);
                    numbers.put(body, i);
                    pool.execute(body);
                }
                default -> throw new IllegalArgumentException();
            }
        }

        void timerCommand(int i, int[] c) {
            long ms = GRID / 1_000_000;
            switch (c[0]) {
                case 0, 1, 2 -> {
                    int from = c[0] == 0 ? 3 : 4; // where the body begins
                    var body = new Body(i, c[from], c[from + 1], c[from + 2], 0);
                    var task = new TimerTask() {
                        @Override public void run() {
                            body.run(); // what it throws kills the timer
                        }
                    };
                    if (c[0] == 0) {
                        timer.schedule(task, c[2] * ms);
                    } else if (c[0] == 1) {
                        timer.scheduleAtFixedRate(task, c[2] * ms, c[3] * ms);
                    } else {
                        timer.schedule(task, c[2] * ms, c[3] * ms);
                    }
                    timerTasks.put(i, task);
                }
                case 3 -> {
                    var task = timerTasks.get(c[2]);
                    if (task != null) {
                        result("c" + i + "=" + (task.cancel() ? 1 : 0));
                    }
                }
                case 4 -> result("p" + i + "=" + timer.purge());
                case 5 -> timer.cancel();
                default -> throw new IllegalArgumentException();
            }
        }

        void finish() {
            if (timer != null) {
                until(System.nanoTime() + (LONGEST + CLASSES) * GRID); // for the body under way
                return;
            }
            try {
                pool.awaitTermination(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            event("t", now());
            for (var e : futures.entrySet()) {
                result("f" + e.getKey() + "=" + state(e.getValue()));
            }
        }

        static String state(Future<?> f) {
            if (f.isCancelled()) {
                return "C";
            }
            if (!f.isDone()) {
                return "P";
            }
            try {
                f.get();
                return "O";
            } catch (ExecutionException e) {
                return "F";
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void result(String text) {
            synchronized (events) {
                results.add(text);
            }
        }

        void event(String token, long at) {
            synchronized (events) {
                events.add(String.format("%05d ", at) + token + "@" + at);
            }
        }

        /** The present on the grid. */
        long now() {
            long since = System.nanoTime() - begun;
            if (since % GRID > GRID * 6 / 10) {
                disturbed = true;
            }
            return since / GRID;
        }

        /** The first instant of a class after another instant. */
        static long next(long at, long kind) {
            at++;
            return at + (kind + CLASSES - at % CLASSES) % CLASSES;
        }

        /** The present, which is to be at an instant. */
        long onTime(long instant) {
            long at = now();
            if (at != instant || stalled - begun > 0) {
                disturbed = true;
            }
            return at;
        }

        /** Leaves a script that is disturbed. */
        void abandon() {
            if (timer != null) {
                timer.cancel();
            } else {
                pool.shutdownNow();
            }
        }

        static void until(long end) {
            for (long left; (left = end - System.nanoTime()) > 0;) {
                LockSupport.parkNanos(left);
            }
        }

        class Body implements Runnable, Comparable<Body> {
            final int number, length, failAt, deaf, priority;
            int runs;

            Body(int number, int length, int failAt, int deaf, int priority) {
                this.number = number;
                this.length = length;
                this.failAt = failAt;
                this.deaf = deaf;
                this.priority = priority;
            }

            @Override public int compareTo(Body other) {
                return Integer.compare(other.priority, priority);
            }

            @Override public void run() {
                long at = now();
                event("s" + number, at);
                runs++;
                long end = begun + next(at + length - 1, ENDING) * GRID;
                boolean stopped = false;
                for (long left; !stopped && (left = end - System.nanoTime()) > 0;) {
                    LockSupport.parkNanos(left);
                    stopped = Thread.interrupted() && deaf == 0;
                }
                event("e" + number, stopped ? now() : onTime((end - begun) / GRID));
                if (runs == failAt) {
                    throw new IllegalArgumentException("as told");
                }
            }
        }
    }
}
