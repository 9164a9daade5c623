package io.idlalayer.benchmarks.serving;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * What may have held up a request: the garbage collector, or the loading of a version. Times are
 * those of {@link System#nanoTime}. Safe for several threads.
 */
final class Stalls {
  /** The collector's own times are in milliseconds. */
  private static final long GC_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final List<Interval> collections = new ArrayList<>();
  private final List<Interval> loads = new ArrayList<>();

  /** Times from and to. */
  record Interval(long fromNanos, long toNanos) {
    boolean touches(long from, long to) {
      return from <= toNanos && to >= fromNanos;
    }
  }

  /** Listens to the collectors of this process from now on. */
  Stalls() {
    long beganNanos =
        System.nanoTime()
            - TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getRuntimeMXBean().getUptime());
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (each instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(
            (told, nothing) -> {
              var collection =
                  GarbageCollectionNotificationInfo.from((CompositeData) told.getUserData())
                      .getGcInfo();
              add(
                  collections,
                  beganNanos
                      + TimeUnit.MILLISECONDS.toNanos(collection.getStartTime())
                      - GC_MARGIN_NANOS,
                  beganNanos
                      + TimeUnit.MILLISECONDS.toNanos(collection.getEndTime())
                      + GC_MARGIN_NANOS);
            },
            told ->
                told.getType()
                    .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
            null);
      }
    }
  }

  private synchronized void add(List<Interval> to, long fromNanos, long toNanos) {
    to.add(new Interval(fromNanos, toNanos));
  }

  /** A version was loaded, and serves since the end. */
  void loaded(long fromNanos, long toNanos) {
    add(loads, fromNanos, toNanos);
  }

  synchronized List<Interval> collections() {
    return List.copyOf(collections);
  }

  synchronized List<Interval> loads() {
    return List.copyOf(loads);
  }
}
