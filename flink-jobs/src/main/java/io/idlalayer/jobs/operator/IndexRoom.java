package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.DataController;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a process's heap that may hold what its learners know of their stored samples. A
 * learner asks for as much as its {@code selection.max-samples} take before it opens, and for more
 * if its state holds more, so that a process says what is missing instead of running out of memory.
 * Thread-safe.
 */
public final class IndexRoom {
  /** The rest is for models, batches, Flink and Kafka. */
  static final double SHARE = 0.75;

  private static final IndexRoom PROCESS = new IndexRoom(Runtime.getRuntime().maxMemory());

  private final long heapBytes;
  private final long limitBytes;
  private final Map<String, Long> taken = new HashMap<>();

  /**
   * @param heapBytes largest heap of the process
   */
  IndexRoom(long heapBytes) {
    this.heapBytes = heapBytes;
    limitBytes = (long) (SHARE * heapBytes);
  }

  /** That of this process. */
  static IndexRoom process() {
    return PROCESS;
  }

  /** Heap bytes that a learner of an application needs with so many samples. */
  static long bytes(ApplicationSettings settings, long samples) {
    boolean ids = settings.input().schema().id() != null;
    return DataController.heapBytesFor(settings.data(), samples, ids);
  }

  /**
   * What is wrong with learners of which all are in this process; null if they fit.
   *
   * @param applications with all their partitions
   */
  public static @Nullable String problem(List<ApplicationSettings> applications) {
    return problem(applications, Runtime.getRuntime().maxMemory());
  }

  static @Nullable String problem(List<ApplicationSettings> applications, long heapBytes) {
    long wanted = 0;
    List<String> named = new ArrayList<>();
    for (ApplicationSettings each : applications) {
      long bytes = bytes(each, each.data().maxSamples());
      wanted += bytes * each.partitions();
      named.add(
          "%s: %d x %,d samples of up to %,d bytes each"
              .formatted(
                  each.name(),
                  each.partitions(),
                  each.data().maxSamples(),
                  bytes / each.data().maxSamples() + 1));
    }
    return wanted <= (long) (SHARE * heapBytes)
        ? null
        : ("selection.max-samples of all learners need %,d MiB of heap for their index (%s); the"
                + " heap is %,d MiB, of which the index may have %.0f %%: set IDLA_HEAP=%dm or"
                + " lower selection.max-samples")
            .formatted(
                mib(wanted),
                String.join("; ", named),
                mib(heapBytes),
                100 * SHARE,
                mib((long) (wanted / SHARE)) + 1);
  }

  /**
   * Takes what a learner needs at most.
   *
   * @throws LastingFailureException if it does not fit beside the others
   */
  synchronized void take(String learner, ApplicationSettings settings) {
    long samples = settings.data().maxSamples();
    require(learner, settings, samples, "selection.max-samples allows");
    taken.put(learner, bytes(settings, samples));
  }

  /**
   * Checks while a learner reads its state.
   *
   * @param samples read so far
   * @throws LastingFailureException if its state has more samples than fit
   */
  synchronized void loaded(String learner, ApplicationSettings settings, long samples) {
    if (samples > settings.data().maxSamples()) {
      require(learner, settings, samples, "the state that it continues from holds");
    }
  }

  private void require(String learner, ApplicationSettings settings, long samples, String why) {
    long others = 0;
    for (Map.Entry<String, Long> each : taken.entrySet()) {
      others += each.getKey().equals(learner) ? 0 : each.getValue();
    }
    long wanted = bytes(settings, samples);
    if (others + wanted > limitBytes) {
      throw new LastingFailureException(
          ("learner %s needs %,d MiB of heap for the index of %,d samples, which %s; other learners"
                  + " of the process need %,d MiB, the heap is %,d MiB, of which the index may have"
                  + " %.0f %%: give the process a heap of %,d MiB (IDLA_HEAP; in a cluster"
                  + " taskmanager.memory.task.heap.size) or lower selection.max-samples")
              .formatted(
                  learner,
                  mib(wanted),
                  samples,
                  why,
                  mib(others),
                  mib(heapBytes),
                  100 * SHARE,
                  mib((long) ((others + wanted) / SHARE)) + 1));
    }
  }

  /** A learner is closed. */
  synchronized void release(String learner) {
    taken.remove(learner);
  }

  private static long mib(long bytes) {
    return (bytes + (1L << 20) - 1) >> 20;
  }
}
