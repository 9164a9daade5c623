package io.idlalayer.jobs.capacity;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.datacontroller.store.PayloadDigests;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.table.RowMemory;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the heap can hold the sample indexes of the learners and the memory of their
 * tables ({@link RowMemory}). The check covers all applications before a job is submitted. The
 * check runs again in the process in which a learner opens: the learner reserves memory for {@code
 * selection.max-samples} samples, or for the samples in its state if they are more. So a process
 * reports how much memory is missing instead of running out of memory. Thread-safe.
 */
public final class IndexSpaceCheck {
  /**
   * Largest share of the heap for sample indexes and tables. The rest is for models, batches, Flink
   * and Kafka.
   */
  static final double SHARE = 0.75;

  private static final RowMemory NO_ROWS = new RowMemory(0, 0, 0, 0);

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

  /** Returns the check that all learners of this process share. */
  public static IndexSpaceCheck process() {
    return PROCESS;
  }

  /** Returns the heap bytes that a learner of an application needs for {@code samples} samples. */
  static long bytes(ApplicationSettings settings, long samples) {
    return indexBytes(settings, samples) + rows(settings).bytes();
  }

  private static long indexBytes(ApplicationSettings settings, long samples) {
    boolean ids = settings.input().schema().id() != null;
    boolean digests = settings.memory().sharedDirectory() != null;
    return DataController.heapBytesFor(settings.data(), samples, ids)
        + (digests ? PayloadDigests.heapBytesFor(samples) : 0);
  }

  /**
   * Returns the memory that the rows of tables need. With the release gate this includes earlier
   * rows.
   */
  private static RowMemory rows(ApplicationSettings settings) {
    return settings.model().embeddings().tables().isEmpty()
        ? NO_ROWS
        : RowMemory.of(
            settings.memory().rows(),
            EmbeddingPlans.of(settings.model()),
            settings.publishing().gate().compares());
  }

  /**
   * Returns a sentence about the sample indexes of all applications if they do not fit into memory;
   * empty if they fit.
   *
   * @param applications applications, each counted with all its partitions
   * @param memory memory of the processes that run the learners
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
    RowMemory rows = rows(settings);
    return part(rows.rows(), "of memory.rows.fast-bytes, which may be lowered")
        + part(rows.toWrite(), "for rows to be written, which is no more than fast-bytes")
        + part(rows.filter(), "for embeddings.expected-ids, which may be lowered")
        + part(rows.history(), "for publishing.gate, which may be off");
  }

  private static String part(long bytes, String why) {
    return bytes == 0 ? "" : ", and %,d MiB %s".formatted(mib(bytes), why);
  }

  /**
   * Reserves the most heap that a learner can need.
   *
   * @return why the learner does not fit into the heap beside the other learners, in which case
   *     nothing is reserved; null if the learner fits
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
   * Checks, while a learner reads its state, whether the samples that it has read still fit into
   * the heap.
   *
   * @param samples number of samples read so far
   * @return why the state does not fit; null if it fits
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

  /** Releases the heap that was reserved for a learner. Called when the learner is closed. */
  public synchronized void release(String learner) {
    taken.remove(learner);
  }

  private static long mib(long bytes) {
    return (bytes + (1L << 20) - 1) >> 20;
  }
}
