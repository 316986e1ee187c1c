import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import io.netty.util.Version;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The wheel of Netty, in a file of its own, which is compiled only where Netty is. */
final class NettyWheel extends Rivals.Facility<TimerTask, Timeout> {
    private final HashedWheelTimer wheel =
            new HashedWheelTimer(Executors.defaultThreadFactory(), 1, TimeUnit.MILLISECONDS, 1 << 16);
    private volatile boolean stopped;

    NettyWheel() {
        wheel.start();
    }

    public static String version() {
        Version common = Version.identify().get("netty-common");
        return common == null ? "of unknown version" : common.artifactVersion();
    }

    @Override
    TimerTask task(Runnable run) {
        return timeout -> run.run();
    }

    @Override
    Timeout schedule(TimerTask task, long delay) {
        return wheel.newTimeout(task, delay, TimeUnit.NANOSECONDS);
    }

    @Override
    boolean cancel(Timeout scheduled) {
        return scheduled.cancel();
    }

    /** The wheel knows no periods: each run asks for the next, at its planned time. */
    @Override
    void repeat(Runnable run, long first, long period) {
        scheduleAt(new TimerTask() {
            private long planned = first;

            @Override
            public void run(Timeout timeout) {
                run.run();
                planned += period;
                again(this, planned);
            }
        }, first);
    }

    private void again(TimerTask task, long planned) {
        try {
            if (!stopped) {
                scheduleAt(task, planned);
            }
        } catch (IllegalStateException e) {
            if (!stopped) { // or else it came in between
                throw e;
            }
        }
    }

    @Override
    void stop() {
        stopped = true;
        wheel.stop(); // waits for its thread
    }
}
