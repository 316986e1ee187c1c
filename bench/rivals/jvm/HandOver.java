import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * What hands scheduled tasks over from one thread to another, to be cancelled there: by the parcel, so that it
 * costs little for each of them.
 */
final class HandOver {
    private static final int IN_PARCEL = 32;
    private static final int IN_LANE = 8;

    private HandOver() {}

    private static final class Parcel {
        private final Object[] tasks = new Object[IN_PARCEL];
        private int n;
        private boolean last;
    }

    /** Leads from one thread to another; its parcels come back empty. */
    static final class Lane {
        private final BlockingQueue<Parcel> full = new ArrayBlockingQueue<>(IN_LANE);
        private final BlockingQueue<Parcel> empty = new ArrayBlockingQueue<>(IN_LANE);

        Lane() {
            for (int i = 0; i < IN_LANE; i++) {
                empty.add(new Parcel());
            }
        }
    }

    /** Hands over tasks on one lane, and cancels what comes on another; each may be null. */
    static final class Courier<T, H> {
        private final Rivals.Facility<T, H> f;
        private final Lane out;
        private final Lane in;
        private Parcel packing;
        private boolean over; // nothing follows on the lane in
        private long cancelled;

        Courier(Rivals.Facility<T, H> f, Lane out, Lane in) {
            this.f = f;
            this.out = out;
            this.in = in;
        }

        boolean hasPartner() {
            return out != null;
        }

        long cancelled() {
            return cancelled;
        }

        void cancel(H task) {
            if (f.cancel(task)) {
                cancelled++;
            }
        }

        void hand(H task) throws InterruptedException {
            if (packing == null) {
                packing = fetch();
            }
            packing.tasks[packing.n++] = task;
            if (packing.n == IN_PARCEL) {
                send();
            }
        }

        private void send() {
            out.full.add(packing); // there is room for all parcels
            packing = null;
        }

        /** Returns an empty parcel. It empties what has come before it waits: so the other need not wait, too. */
        private Parcel fetch() throws InterruptedException {
            for (;;) {
                Parcel p = out.empty.poll();
                if (p != null) {
                    return p;
                }
                Parcel come = in == null ? null : in.full.poll();
                if (come == null) {
                    return out.empty.take();
                }
                open(come);
            }
        }

        @SuppressWarnings("unchecked") // there are tasks of this facility only
        private void open(Parcel p) {
            for (int i = 0; i < p.n; i++) {
                cancel((H) p.tasks[i]);
            }
            over |= p.last;
            Arrays.fill(p.tasks, 0, p.n, null);
            p.n = 0;
            in.empty.add(p);
        }

        /** Sends off what is packed, and says that nothing follows. */
        void end() throws InterruptedException {
            if (packing == null) {
                packing = fetch();
            }
            packing.last = true;
            send();
        }

        /** Cancels what comes until nothing follows. */
        void empty() throws InterruptedException {
            while (!over) {
                open(in.full.take());
            }
        }
    }
}
