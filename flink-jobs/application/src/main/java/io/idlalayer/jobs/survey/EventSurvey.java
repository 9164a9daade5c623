package io.idlalayer.jobs.survey;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Finds oddities in the events of an input: reasons for which events were refused, labels that are
 * no class, and fields that never came or never changed. Memory and state are bounded, whatever the
 * events are, and an event costs little: see {@link FieldSurvey}. Confined to one thread.
 */
public final class EventSurvey {
  private static final StateFormat FORMAT = new StateFormat("event survey", 2, 1);

  private final SampleSchema schema;
  private final FieldSurvey fields;
  private final BitSet seenClasses = new BitSet();
  private RefusedKinds kinds = new RefusedKinds();
  private NameCounts strangeLabels = new NameCounts();
  private NameCounts undeclared = new NameCounts();
  private long events;
  private long refused;
  private long labelled;
  private long labels;
  private long labelsOnly;
  private long lostBefore;
  private long quarantinedBefore;

  public EventSurvey(SampleSchema schema) {
    this.schema = schema;
    fields = new FieldSurvey(schema);
  }

  /**
   * Starts over, before the first event of another input.
   *
   * @param lostOffsets number of offsets that were lost before this input
   * @param quarantined number of samples that were given up before this input
   */
  public void begin(long lostOffsets, long quarantined) {
    fields.begin();
    seenClasses.clear();
    kinds = new RefusedKinds();
    strangeLabels = new NameCounts();
    undeclared = new NameCounts();
    events = 0;
    refused = 0;
    labelled = 0;
    labels = 0;
    labelsOnly = 0;
    lostBefore = lostOffsets;
    quarantinedBefore = quarantined;
  }

  /** Adds a decoded event, which is learnable if it has a label. */
  public void sample(Sample sample) {
    sample(sample, sample.labeled());
  }

  /**
   * Adds a decoded event.
   *
   * @param learnable whether there is a sample with features and a label now
   */
  public void sample(Sample sample, boolean learnable) {
    events++;
    fields.add(sample);
    labelled += learnable ? 1 : 0;
    if (sample.labelOnly()) {
      labelsOnly++;
    }
    if (sample.labeled()) {
      labels++;
      see(sample);
    }
  }

  /** Adds a sample that got the default label because its own label did not come. */
  public void defaulted(Sample sample) {
    labelled++;
    see(sample);
  }

  private void see(Sample sample) {
    if (!schema.label().classes().isEmpty()) {
      seenClasses.set((int) sample.label());
    }
  }

  /** Adds an event that could not be decoded. */
  public void refused(Refused event) {
    events++;
    refused++;
    String field = field(event.reason());
    kinds.add(ReasonKind.of(event.reason(), field), event);
    if (field.equals(schema.label().name())) {
      String value = ReasonKind.value(event.reason(), field);
      if (!value.isEmpty()) {
        strangeLabels.add(value);
      }
    }
  }

  /**
   * Returns the declared field at the beginning of a reason; "" if the reason begins with no field.
   */
  private String field(String reason) {
    int end = reason.indexOf(": ");
    String field = end < 0 ? "" : reason.substring(0, end);
    return FieldNames.declares(schema, field) ? field : "";
  }

  /**
   * Returns whether the only value of a feature is the value of a missing number.
   *
   * @param feature a feature whose missing numbers are zeros
   */
  public static boolean isMissing(
      SampleSchema.DenseFeature feature, Surveyed.ConstantField constant) {
    return FieldSurvey.ofMissing(feature).equals(constant.value());
  }

  /** Adds the names of undeclared fields of an event. */
  public void undeclared(List<String> names) {
    names.forEach(undeclared::add);
  }

  /**
   * Returns the survey.
   *
   * @param lostOffsets number of lost offsets, over all inputs
   * @param quarantined number of samples that the learner has given up, over all inputs
   */
  public Surveyed surveyed(long lostOffsets, long quarantined) {
    return new Surveyed(
        events,
        refused,
        labelled,
        labels,
        labelsOnly,
        Math.max(0, lostOffsets - lostBefore),
        Math.max(0, quarantined - quarantinedBefore),
        kinds.commonest(),
        strangeLabels.commonest(),
        undeclared.commonest(),
        fields.missing(),
        fields.constant(),
        unseenClasses());
  }

  private Surveyed.NameList unseenClasses() {
    List<String> classes = schema.label().classes();
    List<String> unseen = new ArrayList<>();
    for (int i = seenClasses.nextClearBit(0);
        i < classes.size() && unseen.size() < Surveyed.MOST;
        i = seenClasses.nextClearBit(i + 1)) {
      unseen.add(classes.get(i));
    }
    return new Surveyed.NameList(unseen, classes.size() - seenClasses.cardinality());
  }

  public byte[] snapshot() {
    return FORMAT
        .writer()
        .putLong(1, events)
        .putLong(2, refused)
        .putLong(3, labelled)
        .putLong(4, lostBefore)
        .putLong(5, quarantinedBefore)
        .putTexts(6, kinds.texts())
        .putLongs(7, kinds.numbers())
        .putTexts(8, strangeLabels.names())
        .putLongs(9, strangeLabels.numbers())
        .putTexts(10, undeclared.names())
        .putLongs(11, undeclared.numbers())
        .putBytes(12, fields.firstSample())
        .putInts(13, fields.equalFields())
        .putLongs(14, seenClasses.toLongArray())
        .putLong(15, labels)
        .putLong(16, labelsOnly)
        .bytes();
  }

  /**
   * Restores a {@link #snapshot()}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    events = in.getLong(1);
    refused = in.getLong(2);
    labelled = in.getLong(3);
    // Version 1 of the format did not count labels that came without features.
    labels = in.version() == 1 ? labelled : in.getLong(15);
    labelsOnly = in.version() == 1 ? 0 : in.getLong(16);
    lostBefore = in.getLong(4);
    quarantinedBefore = in.getLong(5);
    List<String> texts = in.getTexts(6);
    long[] numbers = in.getLongs(7);
    if (3L * texts.size() != 5L * numbers.length) {
      throw in.refused("the state has reasons of refusals without their counts");
    }
    kinds = RefusedKinds.of(texts, numbers);
    strangeLabels = counts(in, 8);
    undeclared = counts(in, 10);
    try {
      fields.restore(in.getBytes(12), in.getInts(13));
    } catch (MalformedSampleException damaged) {
      throw in.refused(String.valueOf(damaged.getMessage()));
    }
    seenClasses.clear();
    seenClasses.or(BitSet.valueOf(in.getLongs(14)));
  }

  private static NameCounts counts(StateReader in, int tag) {
    List<String> names = in.getTexts(tag);
    long[] numbers = in.getLongs(tag + 1);
    if (numbers.length != 2 * names.size()) {
      throw in.refused("names without their counts");
    }
    return NameCounts.of(names, numbers);
  }
}
