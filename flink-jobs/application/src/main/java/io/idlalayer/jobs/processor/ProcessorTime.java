package io.idlalayer.jobs.processor;

import io.idlalayer.jobs.events.ProcessorUse;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The processor time that one learner has caused since it was opened, by {@link ProcessorPart}.
 * Costs of events that arise even without updates are not included: storing and scoring events, and
 * calls of the update rule.
 *
 * <p>The operator's thread calls {@link #count}, {@link #updateEnded}, {@link #publicationEnded},
 * {@link #publicationSeconds} and {@link #use}. The other methods are safe from any thread.
 */
public final class ProcessorTime {
  /** Weight of the latest update or publication in the mean of the recent ones. */
  private static final double RECENT_GAIN = 0.1;

  private static final double NANOS_PER_SECOND = 1e9;

  private final ProcessorTimes process;
  private final LongSupplier threadNanos;
  private final Map<ProcessorPart, LongAdder> nanos = new EnumMap<>(ProcessorPart.class);
  private final AtomicLong sentOfUpdates = new AtomicLong();
  private final AtomicLong sentOthers = new AtomicLong();
  private final AtomicLong published = new AtomicLong();

  // Confined to the operator's thread.
  private @Nullable ProcessorPart running;
  private long markedNanos;
  private final RecentCost update = new RecentCost();
  private final RecentCost publication = new RecentCost();

  ProcessorTime(ProcessorTimes process, LongSupplier threadNanos) {
    this.process = process;
    this.threadNanos = threadNanos;
    for (ProcessorPart part : ProcessorPart.values()) {
      nanos.put(part, new LongAdder());
    }
  }

  /**
   * Does work on the operator's thread and counts its time as a part. If a part runs inside another
   * part, its time is counted only for the inner part.
   */
  public void count(ProcessorPart part, Runnable work) {
    ProcessorPart outer = running;
    mark(outer);
    running = part;
    try {
      work.run();
    } finally {
      mark(part);
      running = outer;
    }
  }

  private void mark(@Nullable ProcessorPart part) {
    long now = threadNanos.getAsLong();
    if (part != null) {
      add(part, now - markedNanos);
    }
    markedNanos = now;
  }

  /** Begins to count the work of another thread as a part, until that thread closes it. */
  public Counted begin(ProcessorPart part) {
    long from = threadNanos.getAsLong();
    return () -> add(part, threadNanos.getAsLong() - from);
  }

  /** Work that is being counted. Closed by the thread that began it. */
  @FunctionalInterface
  public interface Counted extends AutoCloseable {
    @Override
    void close();
  }

  /** Adds time that was measured elsewhere to a part. */
  void add(ProcessorPart part, long more) {
    counted(part).add(more);
  }

  /** Records that an event or a notice of a part was passed to a producer. */
  public void sent(ProcessorPart part) {
    (part.causedByUpdates() ? sentOfUpdates : sentOthers).incrementAndGet();
  }

  /** Takes the number of events of updates that were sent since the last call. */
  long takeSentOfUpdates() {
    return sentOfUpdates.getAndSet(0);
  }

  /** Takes the number of other events that were sent since the last call. */
  long takeSentOthers() {
    return sentOthers.getAndSet(0);
  }

  /**
   * Records that an update was accepted, and returns the processor seconds that updates have caused
   * since the previous update was accepted.
   */
  public double updateEnded() {
    long caused = 0;
    for (ProcessorPart part : nanos.keySet()) {
      caused += part.causedByUpdates() ? counted(part).sum() : 0;
    }
    ProcessorPart open = running;
    if (open != null) {
      // The time of the present part so far belongs to this update.
      caused += threadNanos.getAsLong() - markedNanos;
    }
    return update.ended(caused);
  }

  /** Records that a version was published. */
  public void publicationEnded() {
    published.incrementAndGet();
    publication.ended(
        counted(ProcessorPart.PUBLISHING).sum() + counted(ProcessorPart.CLEANING_UP).sum());
  }

  /**
   * Returns the processor seconds of a publication, with its share of the deletion of old versions:
   * the mean over recent publications; 0 before the first publication.
   */
  public double publicationSeconds() {
    return publication.seconds;
  }

  /** Takes the number of versions that were published since the last call. */
  long takePublished() {
    return published.getAndSet(0);
  }

  /** Returns the processor time that was counted so far. */
  public ProcessorUse use() {
    process.share();
    return new ProcessorUse(
        update.ended,
        update.seconds,
        new ProcessorUse.Caused(
            seconds(ProcessorPart.DECIDING),
            seconds(ProcessorPart.TRAINING),
            seconds(ProcessorPart.ACCEPTING),
            seconds(ProcessorPart.REPORTING),
            seconds(ProcessorPart.PUBLISHING),
            seconds(ProcessorPart.CLEANING_UP),
            seconds(ProcessorPart.SENDING),
            seconds(ProcessorPart.FOLLOWING)),
        seconds(ProcessorPart.STATUSES),
        process.totals());
  }

  /** The mean cost of recent events of one kind, of which only the total time is measured. */
  private static final class RecentCost {
    private long countedNanos;
    private long ended;
    private double seconds;

    /**
     * Records that an event has ended, and returns the seconds that it took.
     *
     * @param nanos total time of all events so far
     */
    double ended(long nanos) {
      double latest = Math.max(0, nanos - countedNanos) / NANOS_PER_SECOND;
      countedNanos = nanos;
      ended++;
      seconds += Math.max(RECENT_GAIN, 1.0 / ended) * (latest - seconds);
      return latest;
    }
  }

  private double seconds(ProcessorPart part) {
    return counted(part).sum() / NANOS_PER_SECOND;
  }

  private LongAdder counted(ProcessorPart part) {
    return Objects.requireNonNull(nanos.get(part));
  }
}
