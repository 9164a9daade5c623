package io.idlalayer.jobs.events;

import io.idlalayer.middleware.embedding.store.StoreTraffic;
import io.idlalayer.middleware.embedding.table.RowUsage;
import io.idlalayer.modelcontroller.mixture.ExpertQuality;
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
 * @param engine the engine that trains the model and scores new samples
 * @param tables rows of embedding tables; absent if the model has none
 * @param gate comparison of the newest model with an earlier one; absent if models are not compared
 * @param pinned the pin by which an older version serves; absent if the newest version serves, or
 *     if it is unknown which version serves
 * @param survey survey of the events of the present input; absent in events of older jobs
 * @param processor processor time that the learner has caused; absent in events of older jobs
 * @param history histories of keys, and the quality of the model without them; absent if there are
 *     none
 * @param network weight and quality of the network alone, if references are served with it; absent
 *     if there are no references, and until a version with references was tested
 * @param lastLabels how well the last label of a key would predict; absent if the application keeps
 *     a history of keys, or can keep none
 * @param compared quality of the model and of older versions; absent until enough events are
 *     learned, and if versions are not compared
 * @param mixing the learner's share in a model that all partitions learn together; absent if each
 *     partition learns a separate model
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
    @Nullable Pinned pinned,
    @Nullable Surveyed survey,
    @Nullable ProcessorUse processor,
    @Nullable HistoryUse history,
    @Nullable ExpertQuality network,
    @Nullable List<LastLabel> lastLabels,
    @Nullable ComparedVersions compared,
    @Nullable MixingStatus mixing) {

  /** Creates the status of a model that has no tables and is not compared with other models. */
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
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  public Status {
    // If the JSON of another program lacks fields, it is not read as a status.
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

  /** Returns the newest published version, 0 before the first. */
  public long modelVersion() {
    return progress.modelVersion();
  }

  /**
   * Returns the version that serves: the newest version, unless an older version was put in
   * service; 0 before the first version.
   */
  public long servedVersion() {
    if (pinned != null) {
      return pinned.version();
    }
    return gate == null || gate.inServiceVersion() == 0
        ? progress.modelVersion()
        : gate.inServiceVersion();
  }

  /** Returns whether a training is running. */
  public boolean training() {
    return progress.training();
  }

  /** Returns this status with other facts about the input. */
  public Status with(Input news) {
    return with(inputOffsets, news);
  }

  /** Returns this status with the id of the Flink job that reports it. */
  Status in(String run) {
    return with(input.in(run));
  }

  /** Returns this status with {@code most} input offsets at most, the first by name. */
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
        pinned,
        survey,
        processor,
        history,
        network,
        lastLabels,
        compared,
        mixing);
  }

  /**
   * The progress of learning.
   *
   * @param updates number of accepted updates
   * @param trainedNewSamples number of samples trained for the first time
   * @param modelVersion the newest published version, 0 before the first; an older version can be
   *     in service, see {@link Pinned}
   * @param training whether a training runs now
   */
  public record Progress(
      long updates, long trainedNewSamples, long modelVersion, boolean training) {}

  /**
   * Facts about the input, in addition to its events.
   *
   * @param lostOffsets number of offsets that were lost before they were read, in all ranges
   *     together
   * @param lost the latest lost ranges, at most 64
   * @param reread number of records that were read again after they had been learned; they are not
   *     learned twice
   * @param refusedControls number of records on the control topic that are not valid requests; they
   *     are in the dead letters
   * @param ends ids of the last ends that were reached, at most 16, the latest last
   * @param run id of the Flink job that reports this, because two runs of one application on one
   *     Kafka cluster write to one topic
   */
  public record Input(
      long lostOffsets,
      List<LostRange> lost,
      long reread,
      long refusedControls,
      List<String> ends,
      String run) {
    /** The facts about an input of which nothing is to be reported. */
    public static final Input NONE = new Input(0, List.of(), 0, 0, List.of());

    /** Creates the facts about an input that an unknown run read. */
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
   * The engine that trains the model and scores new samples with it.
   *
   * @param name name and version; "" if unknown
   * @param threads number of threads of the kernels; the last bits of results depend on this number
   * @param reason why the product's own engine with oneDNN is not used; "" if it is used, or if the
   *     settings name another engine
   * @param warnings sentences that name parts of the training that are slow or have no effect
   */
  public record Engine(String name, int threads, String reason, List<String> warnings) {
    /** The engine of an event that does not name one. */
    public static final Engine UNKNOWN = new Engine("", 0, "", List.of());

    public Engine {
      // Events of older jobs do not have them.
      warnings = warnings == null ? List.of() : List.copyOf(warnings);
    }
  }

  /**
   * A range of offsets that were lost before they were read; the number of events in it is unknown.
   *
   * @param input topic and partition, as in {@code inputOffsets}
   * @param from first offset
   * @param until offset after the last lost offset
   */
  public record LostRange(String input, long from, long until, String why) {}

  /**
   * Counts of events by fate. {@code received = malformed + unlabeled + duplicates + merged +
   * labelsWaiting + labelsGivenUp + trainedNewSamples + pending + quarantined}, where pending are
   * the labelled Newborns.
   *
   * @param unlabeled events without a label
   * @param duplicates events with an id that are stored already
   * @param stored samples in the store now
   * @param storedBytes payload bytes of the stored samples
   * @param revived trained samples that another event with their id has changed (not duplicates)
   * @param joined labels that arrived before or after their events and were joined to them
   * @param evicted samples removed to make space
   * @param quarantined new samples given up after repeated failed trainings
   * @param passedOver new samples among {@code trainedNewSamples} that were not trained because the
   *     model knew them already
   * @param merged events that changed or completed a stored sample that continues to wait
   * @param changed events that replaced a value or label of a stored sample; they are also counted
   *     in one of the other numbers
   * @param labelsWaiting labels that wait for their events
   * @param labelsGivenUp labels whose events did not come in time
   * @param labelsDefaulted events that got the default label because their own label did not come
   *     in time
   * @param defaultsCorrected events among {@code labelsDefaulted} that got another label afterwards
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
      long passedOver,
      long merged,
      long changed,
      long labelsWaiting,
      long labelsGivenUp,
      long labelsDefaulted,
      long defaultsCorrected) {
    /** Creates counts of events for the case that no two events had the same id. */
    public Samples(
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
        long passedOver) {
      this(
          received,
          malformed,
          unlabeled,
          duplicates,
          stored,
          storedBytes,
          revived,
          joined,
          evicted,
          quarantined,
          passedOver,
          0,
          0,
          0,
          0,
          0,
          0);
    }

    /**
     * Returns the number of events that are accounted for.
     *
     * @param trained samples trained for the first time, or again after they became Newborn
     */
    public long accounted(long trained) {
      return trained
          + duplicates
          + merged
          + malformed
          + unlabeled
          + labelsWaiting
          + labelsGivenUp
          + quarantined;
    }
  }

  /** Stored samples by life stage. */
  public record Stages(long newborn, long mature, long preserve, long discard) {}

  /**
   * Milliseconds from a record's timestamp in the topic until its event is counted, over the events
   * since the last status (not cumulative).
   */
  public record Ingestion(long events, double p50Millis, double p99Millis, double maxMillis) {}

  /**
   * Use of the process's hot cache by this learner since the learner was opened.
   *
   * @param donatedBytes bytes that the learner gives to the cache
   * @param payloadBytes bytes of the learner's payloads that are in the cache now
   * @param hits payloads found in DRAM when a batch was built
   * @param misses payloads read from the store
   * @param store traffic of payloads between the cache and the store; prefetched payloads are
   *     included
   */
  public record HotSamples(
      long donatedBytes, long payloadBytes, long hits, long misses, StoreTraffic store) {
    /** No cache, and no reads. */
    public static final HotSamples NONE = new HotSamples(0, 0, 0, 0, StoreTraffic.NONE);

    public HotSamples {
      // Events of older jobs do not have it.
      store = store == null ? StoreTraffic.NONE : store;
    }
  }

  /**
   * The comparison of the newest model with the last version that was found good.
   *
   * @param inServiceVersion the version that serves, whether or not it is pinned; 0 before the
   *     first version
   * @param held whether the newest model waits for samples for its comparison
   * @param comparedWith version with which the newest model is compared; 0 if there is none
   * @param samples number of compared samples since the last restart
   * @param difference difference by which the newest model is worse, in units of the metric
   * @param heldModels number of models that were not published because they were worse, or looked
   *     worse and were replaced by a newer model
   * @param rollbacks how often an older version was put in service again, before a newer version
   *     replaced the worse one
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
   * A pin: an older version serves because a person or the release gate decided so. The learner
   * reads the pin every few seconds.
   *
   * @param version the version that serves
   * @param until the pin ends when a version above this one is published; 0: when it is removed
   * @param reason a readable sentence
   * @param by the process or the learner that set the pin
   */
  public record Pinned(long version, long until, String reason, String by) {}

  /** Seconds from a new sample's arrival at the operator to the publication of its update. */
  public record Incorporation(long count, double meanSeconds, double p99Seconds) {}

  /**
   * The current decision.
   *
   * @param pending number of waiting samples
   * @param nextFiringInSeconds seconds to the next firing; negative if no firing is known
   */
  public record Decision(long pending, double nextFiringInSeconds, Grounds grounds) {}
}
