package io.idlalayer.jobs.processor;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ProcessorUse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The processor times of all learners of a process, and of the threads that work for all of them.
 * Safe from any thread.
 *
 * <p>The threads that send events to Kafka and the threads that write files of models work for all
 * learners. Their time is divided among the learners once a second: by the number of events that
 * each has sent, and by the number of versions that each has published.
 */
public final class ProcessorTimes {
  private static final long SHARE_NANOS = 1_000_000_000L;
  private static final ProcessorTimes PROCESS =
      new ProcessorTimes(
          ProcessorClock.ofThreads(),
          NamedThreads.sending()::nanos,
          NamedThreads.writing()::nanos,
          ProcessTotals::now,
          System::nanoTime);

  private final LongSupplier threadNanos;
  private final LongSupplier sendingNanos;
  private final LongSupplier writingNanos;
  private final Supplier<ProcessorUse.OfProcess> totals;
  private final LongSupplier nanoTime;
  private final Map<String, ProcessorTime> learners = new ConcurrentHashMap<>();

  // Guarded by this object.
  private long sharedAtNanos;
  private long sharedNanos;
  private long writtenNanos;

  private ProcessorUse.OfProcess total;

  /**
   * @param threadNanos returns the processor time of the calling thread so far
   * @param sendingNanos returns the processor time of the threads that send to Kafka so far
   * @param writingNanos returns the processor time of the threads that write files of models so far
   * @param totals returns the processor time of the whole process so far
   * @param nanoTime monotonic clock
   */
  public ProcessorTimes(
      LongSupplier threadNanos,
      LongSupplier sendingNanos,
      LongSupplier writingNanos,
      Supplier<ProcessorUse.OfProcess> totals,
      LongSupplier nanoTime) {
    this.threadNanos = threadNanos;
    this.sendingNanos = sendingNanos;
    this.writingNanos = writingNanos;
    this.totals = totals;
    this.nanoTime = nanoTime;
    sharedNanos = sendingNanos.getAsLong();
    writtenNanos = writingNanos.getAsLong();
    sharedAtNanos = nanoTime.getAsLong();
    total = totals.get();
  }

  /** Returns the processor times of this process. */
  public static ProcessorTimes process() {
    return PROCESS;
  }

  /** Returns times that measure nothing: all of them are 0. */
  public static ProcessorTimes none() {
    return new ProcessorTimes(
        () -> 0, () -> 0, () -> 0, () -> new ProcessorUse.OfProcess(0, 0), () -> 0);
  }

  /** Returns the processor time of the calling thread so far, in nanoseconds. */
  public long threadNanos() {
    return threadNanos.getAsLong();
  }

  /**
   * Begins to count the time of a learner.
   *
   * @param learner name of the learner: application and partition
   */
  public ProcessorTime open(String learner) {
    ProcessorTime opened = new ProcessorTime(this, threadNanos);
    learners.put(learner, opened);
    return opened;
  }

  /** Ends the counting of a learner. */
  public void close(String learner) {
    learners.remove(learner);
  }

  /**
   * Counts the processor time in which this process read events of its own learners again. Events
   * of learners that run in other processes are not counted.
   *
   * @param events events that were read; the time is divided equally among them
   * @param nanos the processor time
   */
  public void followed(List<DecisionEvent> events, long nanos) {
    for (DecisionEvent event : events) {
      ProcessorTime learner = learners.get(event.learner());
      if (learner != null) {
        learner.add(
            partOf(event.type()) == ProcessorPart.REPORTING
                ? ProcessorPart.FOLLOWING
                : ProcessorPart.STATUSES,
            nanos / events.size());
      }
    }
  }

  /** Returns the part as which creating an event of this type is counted. */
  public static ProcessorPart partOf(DecisionEvent.Type type) {
    return switch (type) {
      case STATUS, RULES, INPUT, MEMORY, EXPLAINED, RESTORED, FINISHED -> ProcessorPart.STATUSES;
      case FIRED,
          ARRIVALS,
          ABORTED,
          DROPPED,
          STAGED,
          PLANNED,
          PUBLISHED,
          HELD,
          WORSE,
          ROLLED_BACK,
          UNCOMPARED,
          MIXED,
          FORGOTTEN ->
          ProcessorPart.REPORTING;
    };
  }

  /**
   * Divides the time of the threads that work for all learners, and reads the time of the process,
   * if a second has passed since the last call that did this.
   */
  synchronized void share() {
    long now = nanoTime.getAsLong();
    if (now - sharedAtNanos < SHARE_NANOS) {
      return;
    }
    sharedAtNanos = now;
    total = totals.get();
    shareSending();
    shareWriting();
  }

  private void shareSending() {
    long all = sendingNanos.getAsLong();
    long nanos = Math.max(0, all - sharedNanos);
    sharedNanos = all;
    record Sent(ProcessorTime learner, long ofUpdates, long others) {}
    List<Sent> sent =
        learners.values().stream()
            .map(each -> new Sent(each, each.takeSentOfUpdates(), each.takeSentOthers()))
            .toList();
    long events = sent.stream().mapToLong(each -> each.ofUpdates() + each.others()).sum();
    for (Sent each : sent) {
      if (events > 0) {
        each.learner().add(ProcessorPart.SENDING, nanos * each.ofUpdates() / events);
        each.learner().add(ProcessorPart.STATUSES, nanos * each.others() / events);
      }
    }
  }

  private void shareWriting() {
    record Published(ProcessorTime learner, long versions) {}
    List<Published> published =
        learners.values().stream().map(each -> new Published(each, each.takePublished())).toList();
    long versions = published.stream().mapToLong(Published::versions).sum();
    if (versions == 0) {
      // The time of a publication that takes longer than a second is divided when the publication
      // has ended.
      return;
    }
    long all = writingNanos.getAsLong();
    long nanos = Math.max(0, all - writtenNanos);
    writtenNanos = all;
    for (Published each : published) {
      each.learner().add(ProcessorPart.PUBLISHING, nanos * each.versions() / versions);
    }
  }

  /** Returns the processor time of the whole process, at most a second ago. */
  synchronized ProcessorUse.OfProcess totals() {
    return total;
  }
}
