package io.idlalayer.benchmarks.serving;

import com.sun.management.GarbageCollectionNotificationInfo;
import com.sun.management.GcInfo;
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

  private final List<GcInfo> collected = new ArrayList<>();

  /** When the collector's clock began, which is not when that of the runtime's uptime did. */
  private long clockBeganNanos = Long.MAX_VALUE;

  private final List<Interval> loads = new ArrayList<>();

  /** Times from and to. */
  record Interval(long fromNanos, long toNanos) {
    boolean touches(long from, long to) {
      return from <= toNanos && to >= fromNanos;
    }
  }

  /** Listens to the collectors of this process from now on. */
  Stalls() {
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (each instanceof NotificationEmitter emitter) {
        emitter.addNotificationListener(
            (told, nothing) ->
                collected(
                    GarbageCollectionNotificationInfo.from((CompositeData) told.getUserData())
                        .getGcInfo()),
            told ->
                told.getType()
                    .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
            null);
      }
    }
  }

  /** It is told as soon as the collection has ended, or a little later. */
  private synchronized void collected(GcInfo collection) {
    long end = TimeUnit.MILLISECONDS.toNanos(collection.getEndTime());
    clockBeganNanos = Math.min(clockBeganNanos, System.nanoTime() - end);
    collected.add(collection);
  }

  private Interval interval(GcInfo collection) {
    return new Interval(
        clockBeganNanos
            + TimeUnit.MILLISECONDS.toNanos(collection.getStartTime())
            - GC_MARGIN_NANOS,
        clockBeganNanos + TimeUnit.MILLISECONDS.toNanos(collection.getEndTime()) + GC_MARGIN_NANOS);
  }

  /** A version was loaded, and serves since the end. */
  synchronized void loaded(long fromNanos, long toNanos) {
    loads.add(new Interval(fromNanos, toNanos));
  }

  synchronized List<Interval> collections() {
    return collected.stream().map(this::interval).toList();
  }

  synchronized List<Interval> loads() {
    return List.copyOf(loads);
  }
}
