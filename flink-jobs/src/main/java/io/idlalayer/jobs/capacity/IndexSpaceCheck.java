package io.idlalayer.jobs.capacity;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.RowPolicyName;
import io.idlalayer.middleware.embedding.RowTables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the heap can hold what learners know of their stored samples (the index) and the hot rows
 * of their tables. Checked for all applications before a job is submitted, and again in the process
 * where a learner opens: it takes as much as its {@code selection.max-samples} need, and more if
 * its state holds more, so that a process says what is missing instead of running out of memory.
 * Thread-safe.
 */
public final class IndexSpaceCheck {
  /** The rest is for models, batches, Flink and Kafka. */
  static final double SHARE = 0.75;

  private static final IndexSpaceCheck PROCESS =
      new IndexSpaceCheck(Runtime.getRuntime().maxMemory());

  private final long heapBytes;
  private final long limitBytes;
  private final Map<String, Long> taken = new HashMap<>();

  /**
   * @param heapBytes largest heap of the process
   */
  IndexSpaceCheck(long heapBytes) {
    this.heapBytes = heapBytes;
    limitBytes = (long) (SHARE * heapBytes);
  }

  /** That of this process. */
  public static IndexSpaceCheck process() {
    return PROCESS;
  }

  /** Heap bytes that a learner of an application needs with so many samples. */
  static long bytes(ApplicationSettings settings, long samples) {
    return indexBytes(settings, samples) + rowBytes(settings);
  }

  private static long indexBytes(ApplicationSettings settings, long samples) {
    boolean ids = settings.input().schema().id() != null;
    return DataController.heapBytesFor(settings.data(), samples, ids);
  }

  private static long rowBytes(ApplicationSettings settings) {
    return hotRowBytes(settings) + filterBytes(settings) + historyBytes(settings);
  }

  /** Of what rows were, which the release gate needs. */
  private static long historyBytes(ApplicationSettings settings) {
    boolean none = settings.model().embeddings().tables().isEmpty();
    return none || !settings.publishing().gate().compares() ? 0 : RowTables.MOST_HISTORY_BYTES;
  }

  private static long hotRowBytes(ApplicationSettings settings) {
    boolean none =
        settings.model().embeddings().tables().isEmpty()
            || settings.memory().rows().policy() == RowPolicyName.SIMPLE;
    return none ? 0 : settings.memory().rows().fastBytes();
  }

  private static long filterBytes(ApplicationSettings settings) {
    boolean none = settings.model().embeddings().tables().isEmpty();
    return none ? 0 : settings.memory().rows().admission().filterBytes();
  }

  /**
   * What is wrong with the index of all applications, one sentence; empty if it fits.
   *
   * @param applications with all their partitions
   * @param memory of the processes that run the learners
   */
  public static List<String> problems(List<ApplicationSettings> applications, TaskMemory memory) {
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
                      indexBytes(each, each.data().maxSamples()) / each.data().maxSamples() + 1)
              + rowsToo(each));
    }
    long each = wanted / memory.processes();
    if (each <= (long) (SHARE * memory.heapBytes())) {
      return List.of();
    }
    return List.of(
        ("selection.max-samples of all learners need %,d MiB of heap for their index (%s); each of"
                + " the %d processes that run them has a heap of %,d MiB, of which the index may"
                + " have %.0f %%: set %s or lower selection.max-samples")
            .formatted(
                mib(wanted),
                String.join("; ", named),
                memory.processes(),
                mib(memory.heapBytes()),
                100 * SHARE,
                memory.settings().heap().formatted(mib((long) (each / SHARE)) + 1)));
  }

  private static String rowsToo(ApplicationSettings settings) {
    long hot = hotRowBytes(settings);
    long filter = filterBytes(settings);
    long history = historyBytes(settings);
    return (hot == 0
            ? ""
            : ", and %,d MiB of memory.rows.fast-bytes, which may be lowered".formatted(mib(hot)))
        + (filter == 0
            ? ""
            : ", and %,d MiB for embeddings.expected-ids, which may be lowered"
                .formatted(mib(filter)))
        + (history == 0
            ? ""
            : ", and %,d MiB for publishing.gate, which may be off".formatted(mib(history)));
  }

  /**
   * Takes what a learner needs at most.
   *
   * @return why it does not fit beside the others, in which case nothing is taken; null if it does
   */
  public synchronized @Nullable String take(String learner, ApplicationSettings settings) {
    long samples = settings.data().maxSamples();
    String problem = problem(learner, settings, samples, "selection.max-samples allows");
    if (problem == null) {
      taken.put(learner, bytes(settings, samples));
    }
    return problem;
  }

  /**
   * Checks while a learner reads its state.
   *
   * @param samples read so far
   * @return why its state does not fit, null if it does
   */
  public synchronized @Nullable String loaded(
      String learner, ApplicationSettings settings, long samples) {
    return samples > settings.data().maxSamples()
        ? problem(learner, settings, samples, "the state that it continues from holds")
        : null;
  }

  private @Nullable String problem(
      String learner, ApplicationSettings settings, long samples, String why) {
    long others = 0;
    for (Map.Entry<String, Long> each : taken.entrySet()) {
      others += each.getKey().equals(learner) ? 0 : each.getValue();
    }
    long wanted = bytes(settings, samples);
    if (others + wanted <= limitBytes) {
      return null;
    }
    return ("learner %s needs %,d MiB of heap for the index of %,d samples, which %s%s; other"
            + " learners of the process need %,d MiB, the heap is %,d MiB, of which the index"
            + " may have %.0f %%: give the process a heap of %,d MiB (IDLA_HEAP; in a cluster"
            + " taskmanager.memory.task.heap.size) or lower selection.max-samples")
        .formatted(
            learner,
            mib(wanted),
            samples,
            why,
            rowsToo(settings),
            mib(others),
            mib(heapBytes),
            100 * SHARE,
            mib((long) ((others + wanted) / SHARE)) + 1);
  }

  /** A learner is closed. */
  public synchronized void release(String learner) {
    taken.remove(learner);
  }

  private static long mib(long bytes) {
    return (bytes + (1L << 20) - 1) >> 20;
  }
}
