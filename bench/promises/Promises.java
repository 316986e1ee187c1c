import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Plays a program on a system of Java: what player.go does for those of Go. step.go has the verbs, event.go
 * what is written.
 *
 * <p>Usage: {@code Promises <system>}, with the program on standard input.
 */
public final class Promises {
    private static final StringBuilder written = new StringBuilder(); // the journal, which is printed at the end
    private static final long PATIENCE = 5_000_000_000L;
    private static final long start = System.nanoTime();

    private static Facility facility;
    private static int workers;
    private static boolean impatient; // as something did not run within the time
    private static final CountDownLatch gate = new CountDownLatch(1);
    private static final Map<String, Subject> tasks = new HashMap<>();

    private Promises() {}

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        List<String> program = new ArrayList<>();
        for (String line; (line = in.readLine()) != null; ) {
            if (!line.isBlank()) {
                program.add(line.strip());
            }
        }
        for (String line : program) {
            boolean optional = line.startsWith("?");
            try {
                step(args[0], line.substring(optional ? 1 : 0).split(" +"));
            } catch (Unable e) {
                if (!optional) {
                    note("unable", "", 0, 0, e.getMessage());
                    break;
                }
            }
        }
        note("done", "", 0, 0, "");
        synchronized (Promises.class) {
            PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
            out.print(written);
            out.flush();
        }
        Runtime.getRuntime().halt(0); // whatever still runs
    }

    private static void step(String system, String[] w) throws Exception {
        switch (w[0]) {
            case "open":
                workers = Integer.parseInt(w[1]);
                if (w.length > 2) {
                    throw new Unable("no bound");
                }
                facility = system.equals("Timer") ? new OnTimer() : new OnExecutor(system);
                break;
            case "hold":
                hold();
                break;
            case "release":
                gate.countDown();
                break;
            case "execute":
            case "soon":
            case "after":
            case "rate":
            case "delay":
                submit(w);
                break;
            case "cancel":
                note("cancelled", w[1], tasks.get(w[1]).handle.cancel() ? 1 : 0, 0, "");
                break;
            case "withdraw":
                note("withdrawn", w[1], tasks.get(w[1]).handle.withdraw() ? 1 : 0, 0, "");
                break;
            case "get":
                note("got", w[1], 0, 0, tasks.get(w[1]).handle.get(nanos(w[2])));
                break;
            case "sweep":
                List<Subject> all = new ArrayList<>(tasks.values());
                tasks.clear();
                for (Subject s : all) {
                    s.handle.cancel();
                }
                note("counted", "", facility.count(), 0, "");
                break;
            case "count":
                note("counted", "", facility.count(), 0, "");
                break;
            case "shutdown":
                facility.shutdown();
                note("shutdown", "", 0, 0, "");
                break;
            case "now":
                facility.now();
                note("shutdown", "", 0, 0, "");
                break;
            case "handback":
                note("handed", "", facility.handback(), 0, "");
                break;
            case "sleep":
                TimeUnit.NANOSECONDS.sleep(nanos(w[1]));
                break;
            case "until":
                until(w[1], Integer.parseInt(w[2]));
                break;
            case "race":
                race(Integer.parseInt(w[1]));
                break;
            case "handover":
                handover(Integer.parseInt(w[1]));
                break;
            default:
                throw new IllegalArgumentException("there is no verb " + w[0]);
        }
    }

    // What follows are the verbs.

    private static void hold() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(workers);
        for (int i = 0; i < workers; i++) {
            facility.execute(() -> {
                begun.countDown();
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        begun.await();
    }

    private static void submit(String[] w) {
        boolean now = w[0].equals("execute") || w[0].equals("soon");
        int times = now ? 0 : w[0].equals("after") ? 1 : 2;
        String body = w.length > 2 + times ? w[2 + times] : "";
        Subject s = new Subject(w[1], body);
        tasks.put(s.id, s);
        long first = now ? 0 : facility.rounded(nanos(w[2]));
        long before = System.nanoTime() - start;
        try {
            switch (w[0]) {
                case "after":
                    s.handle = facility.after(first, s);
                    break;
                case "rate":
                    s.handle = facility.rate(first, nanos(w[3]), s);
                    break;
                case "delay":
                    s.handle = facility.delay(first, nanos(w[3]), s);
                    break;
                default:
                    s.handle = facility.execute(s);
            }
        } catch (RuntimeException e) {
            if (e instanceof Unable) {
                throw e;
            }
            String why = e.getMessage() == null ? "" : ": " + e.getMessage().split("java\\.|\\[")[0];
            note("refused", s.id, 0, 0, e.getClass().getSimpleName() + why);
            return;
        }
        note("asked", s.id, before, first, "");
    }

    private static void until(String id, int runs) throws InterruptedException {
        if (!tasks.containsKey(id)) {
            throw new Unable("no " + id);
        }
        if (tasks.get(id).handle == null) {
            return; // it was refused
        }
        long end = System.nanoTime() + (impatient ? 0 : PATIENCE);
        while (tasks.get(id).ended.get() < runs) {
            if (System.nanoTime() - end > 0) {
                impatient = true;
                note("missed", id, 0, 0, "");
                return;
            }
            Thread.sleep(1);
        }
    }

    private static void race(int n) throws InterruptedException {
        AtomicBoolean[] begun = new AtomicBoolean[n];
        boolean[] withdrawn = new boolean[n];
        Random random = new Random(1);
        for (int i = 0; i < n; i++) {
            AtomicBoolean b = begun[i] = new AtomicBoolean();
            Handle h = facility.after(1_000_000, () -> b.set(true));
            TimeUnit.NANOSECONDS.sleep(900_000 + 100_000 * random.nextInt(3));
            withdrawn[i] = h.withdraw();
        }
        Thread.sleep(100);
        int bad = 0;
        for (int i = 0; i < n; i++) {
            if (begun[i].get() == withdrawn[i]) {
                bad++;
            }
        }
        note("raced", "", n, bad, "");
    }

    private static void handover(int n) {
        int bad = 0;
        for (int i = 0; i < n; i++) {
            int[] page = new int[64];
            int round = i;
            Handle h = facility.execute(() -> {
                for (int k = 0; k < page.length; k++) {
                    page[k] = round + k + 1;
                }
            });
            h.get(PATIENCE);
            for (int k = 0; k < page.length; k++) {
                if (page[k] != round + k + 1) {
                    bad++;
                    break;
                }
            }
        }
        note("handover", "", n, bad, "");
    }

    private static long nanos(String text) {
        String number = text.replaceAll("[a-z]+$", "");
        long n = Long.parseLong(number);
        switch (text.substring(number.length())) {
            case "us":
                return TimeUnit.MICROSECONDS.toNanos(n);
            case "ms":
                return TimeUnit.MILLISECONDS.toNanos(n);
            case "s":
                return TimeUnit.SECONDS.toNanos(n);
            case "h":
                return TimeUnit.HOURS.toNanos(n);
            default:
                throw new IllegalArgumentException(text);
        }
    }

    private static synchronized void note(String what, String id, long a, long b, String text) {
        long at = System.nanoTime() - start;
        written.append("@ ").append(at).append(' ').append(what).append(' ').append(id.isEmpty() ? "-" : id);
        written.append(' ').append(a).append(' ').append(b).append(' ').append(text).append('\n');
    }

    /** Unable says what a system has not. */
    private static final class Unable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unable(String what) {
            super(what);
        }
    }

    /** Subject is a task of the program. */
    private static final class Subject implements Runnable {
        final String id;
        final String body;
        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        volatile Handle handle;

        Subject(String id, String body) {
            this.id = id;
            this.body = body;
        }

        @Override
        public void run() {
            int n = begun.incrementAndGet();
            note("begin", id, n, 0, "");
            work(n);
            note("end", id, n, 0, "");
            ended.incrementAndGet();
        }

        private void work(int n) {
            if (body.isEmpty()) {
                return;
            }
            String[] parts = body.split("=");
            String[] what = parts[0].split("@");
            if (what.length > 1 && Integer.parseInt(what[1]) != n) {
                return;
            }
            if (what[0].equals("fail")) {
                throw new IllegalStateException("as the program wants it");
            }
            try {
                TimeUnit.NANOSECONDS.sleep(nanos(parts[1]));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Handle is what a submission returns. */
    private interface Handle {
        boolean cancel();

        boolean withdraw();

        String get(long limit);
    }

    /** Facility is a system that is open. */
    private interface Facility {
        Handle execute(Runnable task);

        Handle after(long delay, Runnable task);

        Handle rate(long first, long period, Runnable task);

        Handle delay(long first, long delay, Runnable task);

        long rounded(long nanos);

        long count();

        void shutdown();

        void now();

        long handback();
    }

    private static final class OnExecutor implements Facility {
        private final ScheduledExecutorService s;

        OnExecutor(String system) {
            if (system.equals("FJP")) {
                s = (ScheduledExecutorService) (Object) new ForkJoinPool(workers); // which it is since Java 25
                return;
            }
            ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(workers);
            pool.setRemoveOnCancelPolicy(true);
            s = pool;
        }

        @Override
        public Handle execute(Runnable task) {
            return handle(s.submit(task));
        }

        @Override
        public Handle after(long delay, Runnable task) {
            return handle(s.schedule(task, delay, TimeUnit.NANOSECONDS));
        }

        @Override
        public Handle rate(long first, long period, Runnable task) {
            return handle(s.scheduleAtFixedRate(task, first, period, TimeUnit.NANOSECONDS));
        }

        @Override
        public Handle delay(long first, long delay, Runnable task) {
            return handle(s.scheduleWithFixedDelay(task, first, delay, TimeUnit.NANOSECONDS));
        }

        @Override
        public long rounded(long nanos) {
            return nanos;
        }

        @Override
        public long count() {
            if (s instanceof ScheduledThreadPoolExecutor) {
                return ((ScheduledThreadPoolExecutor) s).getQueue().size();
            }
            try { // the player is compiled by older JDKs, too
                return (Long) ForkJoinPool.class.getMethod("getDelayedTaskCount").invoke(s);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void shutdown() {
            s.shutdown();
        }

        @Override
        public void now() {
            s.shutdownNow();
        }

        @Override
        public long handback() {
            return s.shutdownNow().size();
        }

        private static Handle handle(Future<?> f) {
            return new Handle() {
                @Override
                public boolean cancel() {
                    return f.cancel(false);
                }

                @Override
                public boolean withdraw() {
                    throw new Unable("no verb that withdraws only what has not begun, and says so");
                }

                @Override
                public String get(long limit) {
                    try {
                        f.get(limit, TimeUnit.NANOSECONDS);
                        return "value";
                    } catch (TimeoutException e) {
                        return "late";
                    } catch (CancellationException e) {
                        return "cancelled";
                    } catch (ExecutionException e) {
                        return "failed";
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
            };
        }
    }

    private static final class OnTimer implements Facility {
        private final Timer timer = new Timer();

        @Override
        public Handle execute(Runnable task) {
            return after(0, task);
        }

        @Override
        public Handle after(long delay, Runnable task) {
            Task t = new Task(task);
            timer.schedule(t, millis(delay));
            return t;
        }

        @Override
        public Handle rate(long first, long period, Runnable task) {
            Task t = new Task(task);
            timer.scheduleAtFixedRate(t, millis(first), millis(period));
            return t;
        }

        @Override
        public Handle delay(long first, long delay, Runnable task) {
            Task t = new Task(task);
            timer.schedule(t, millis(first), millis(delay));
            return t;
        }

        @Override
        public long rounded(long nanos) {
            return TimeUnit.MILLISECONDS.toNanos(millis(nanos));
        }

        @Override
        public long count() {
            throw new Unable("no count of what waits");
        }

        @Override
        public void shutdown() {
            timer.cancel();
        }

        @Override
        public void now() {
            timer.cancel();
        }

        @Override
        public long handback() {
            throw new Unable("nothing is handed back");
        }

        private static long millis(long nanos) {
            return (nanos + 999_999) / 1_000_000;
        }

        private static final class Task extends TimerTask implements Handle {
            private final Runnable task;

            Task(Runnable task) {
                this.task = task;
            }

            @Override
            public void run() {
                task.run();
            }

            @Override
            public boolean withdraw() {
                return cancel(); // which says whether it has prevented a run
            }

            @Override
            public String get(long limit) {
                throw new Unable("no futures");
            }
        }
    }
}
