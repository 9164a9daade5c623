package io.idlalayer.jobs.events;

import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Cumulative numbers of one application partition since its first event, across restarts.
 *
 * @param inputOffsets next offset to read by "topic-partition"
 * @param engine what trains the model and tests new samples
 * @param tables rows of embedding tables; absent if the model has none
 * @param gate how the newest model compares with one before it; absent if models are not compared
 * @param pinned that an older version serves; absent if the newest one does, or if that is not
 *     known
 */
public record Status(
    Samples samples,
    Stages stages,
    Progress progress,
    PrequentialSummary prequential,
    Incorporation incorporation,
    Ingestion ingestion,
    HotSamples hotSamples,
    Decision decision,
    SortedMap<String, Long> inputOffsets,
    Input input,
    Engine engine,
    @Nullable RowUsage tables,
    @Nullable Gate gate,
    @Nullable Pinned pinned) {

  /** Of a model without tables, which is not compared with others. */
  public Status(
      Samples samples,
      Stages stages,
      Progress progress,
      PrequentialSummary prequential,
      Incorporation incorporation,
      Ingestion ingestion,
      HotSamples hotSamples,
      Decision decision,
      SortedMap<String, Long> inputOffsets,
      Input input,
      Engine engine) {
    this(
        samples,
        stages,
        progress,
        prequential,
        incorporation,
        ingestion,
        hotSamples,
        decision,
        inputOffsets,
        input,
        engine,
        null,
        null,
        null);
  }

  public Status {
    // The JSON of another program may lack them; it is not read as a status then.
    Objects.requireNonNull(progress, "progress");
    Objects.requireNonNull(input, "input");
    Objects.requireNonNull(engine, "engine");
  }

  /** Accepted updates. */
  public long updates() {
    return progress.updates();
  }

  /** Samples trained for the first time. */
  public long trainedNewSamples() {
    return progress.trainedNewSamples();
  }

  /** The newest published version, 0 before the first. */
  public long modelVersion() {
    return progress.modelVersion();
  }

  /** Whether a training runs now. */
  public boolean training() {
    return progress.training();
  }

  /** The same with other news of the input. */
  public Status with(Input news) {
    return with(inputOffsets, news);
  }

  /** The same, said by a run. */
  Status in(String run) {
    return with(input.in(run));
  }

  /** The same with at most so many input offsets, the first by name. */
  Status withOffsets(int most) {
    SortedMap<String, Long> some = new TreeMap<>();
    inputOffsets.entrySet().stream()
        .limit(most)
        .forEach(each -> some.put(each.getKey(), each.getValue()));
    return with(some, input);
  }

  private Status with(SortedMap<String, Long> offsets, Input news) {
    return new Status(
        samples,
        stages,
        progress,
        prequential,
        incorporation,
        ingestion,
        hotSamples,
        decision,
        offsets,
        news,
        engine,
        tables,
        gate,
        pinned);
  }

  /**
   * How far learning has come.
   *
   * @param updates accepted ones
   * @param trainedNewSamples samples trained for the first time
   * @param modelVersion the newest published version, 0 before the first; an older one may serve,
   *     see {@link Pinned}
   * @param training whether a training runs now
   */
  public record Progress(
      long updates, long trainedNewSamples, long modelVersion, boolean training) {}

  /**
   * What is to be said of the input beside its events.
   *
   * @param lostOffsets offsets that were gone before they were read, all ranges together
   * @param lost the latest ranges, at most 64
   * @param reread records that came again after they had been learned; not learned twice
   * @param refusedControls records on the control topic that are no request; in the dead letters
   * @param ends ids of the last ends that were reached, at most 16, the latest last
   * @param run id of the Flink job that says so: two runs of one application on one Kafka write to
   *     the same topic
   */
  public record Input(
      long lostOffsets,
      List<LostRange> lost,
      long reread,
      long refusedControls,
      List<String> ends,
      String run) {
    /** Nothing to say. */
    public static final Input NONE = new Input(0, List.of(), 0, 0, List.of());

    /** Of a run that is not known. */
    public Input(
        long lostOffsets,
        List<LostRange> lost,
        long reread,
        long refusedControls,
        List<String> ends) {
      this(lostOffsets, lost, reread, refusedControls, ends, "");
    }

    Input in(String job) {
      return new Input(lostOffsets, lost, reread, refusedControls, ends, job);
    }
  }

  /**
   * What trains the model and tests new samples with it.
   *
   * @param name and version; "" if it is not known
   * @param threads of its kernels; another number gives other bits
   * @param reason why it is not the product's own engine with oneDNN; "" if it is, or if another
   *     one was asked for
   * @param warnings what of the training is slow or has no effect, in sentences
   */
  public record Engine(String name, int threads, String reason, List<String> warnings) {
    /** Nobody said. */
    public static final Engine UNKNOWN = new Engine("", 0, "", List.of());

    public Engine {
      // Events of older jobs have none.
      warnings = warnings == null ? List.of() : List.copyOf(warnings);
    }
  }

  /**
   * Offsets that were gone before they were read; how many events they held is not known.
   *
   * @param input topic and partition, as in {@code inputOffsets}
   * @param from first offset
   * @param until offset behind the last
   */
  public record LostRange(String input, long from, long until, String why) {}

  /**
   * Events by fate. {@code received = malformed + unlabeled + duplicates + trainedNewSamples +
   * pending + quarantined}, where pending are the labelled Newborns.
   *
   * @param unlabeled events that brought no label
   * @param duplicates events whose content was stored already
   * @param stored samples in the store now
   * @param storedBytes payload bytes of these
   * @param revived Discard samples that arrived again and became Newborn (not duplicates)
   * @param joined labels that arrived later and met their sample
   * @param evicted samples removed for room
   * @param quarantined new samples given up after repeated failed trainings
   * @param passedOver new samples among {@code trainedNewSamples} that the model knew already, so
   *     that their update did not train on them
   */
  public record Samples(
      long received,
      long malformed,
      long unlabeled,
      long duplicates,
      long stored,
      long storedBytes,
      long revived,
      long joined,
      long evicted,
      long quarantined,
      long passedOver) {}

  /** Stored samples by life stage. */
  public record Stages(long newborn, long mature, long preserve, long discard) {}

  /**
   * Milliseconds from a record's timestamp in the topic until it is booked, over the events since
   * the last status (not cumulative).
   */
  public record Ingestion(long events, double p50Millis, double p99Millis, double maxMillis) {}

  /**
   * What the hot cache of the process did for this learner since it was opened.
   *
   * @param donatedBytes what it gives to the cache
   * @param payloadBytes of its payloads that are in the cache now
   * @param hits payloads found in DRAM when a batch was built
   * @param misses payloads read from the store
   * @param store what payloads were read and written behind the cache; those read for later are
   *     among them
   */
  public record HotSamples(
      long donatedBytes, long payloadBytes, long hits, long misses, StoreTraffic store) {
    /** Nothing is cached, and nothing was read. */
    public static final HotSamples NONE = new HotSamples(0, 0, 0, 0, StoreTraffic.NONE);

    public HotSamples {
      // Events of older jobs have none.
      store = store == null ? StoreTraffic.NONE : store;
    }
  }

  /**
   * How the newest model compares with the last version that was found good.
   *
   * @param inServiceVersion that serves, also where people pinned it; 0 before the first
   * @param held whether the newest model waits for samples to be compared on
   * @param comparedWith version that the newest model is compared with, 0 for none
   * @param samples compared, since the last restart at most
   * @param difference how much worse the newest model is, in units of the metric
   * @param heldModels that were not published because they were worse, or looked so and gave way to
   *     a newer one
   * @param rollbacks times that an older version was put in service again, and no newer one had
   *     taken its place by then
   */
  public record Gate(
      long inServiceVersion,
      boolean held,
      long comparedWith,
      long samples,
      double difference,
      long heldModels,
      long rollbacks) {}

  /**
   * An older version serves, since people or the release gate have said so. The learner looks every
   * few seconds.
   *
   * @param version that serves
   * @param until it serves until a version above this one is published; 0: until it is unpinned
   * @param reason a sentence for people
   * @param by who has said so: a process, or a learner
   */
  public record Pinned(long version, long until, String reason, String by) {}

  /** Seconds from a new sample's arrival at the operator to the publication of its update. */
  public record Incorporation(long count, double meanSeconds, double p99Seconds) {}

  /**
   * The standing decision.
   *
   * @param pending samples that wait
   * @param nextFiringInSeconds negative if no firing is in sight
   */
  public record Decision(long pending, double nextFiringInSeconds, Grounds grounds) {}
}
