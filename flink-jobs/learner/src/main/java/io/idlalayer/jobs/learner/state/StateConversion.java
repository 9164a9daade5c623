package io.idlalayer.jobs.learner.state;

import io.idlalayer.datacontroller.intake.EarlyLabel;
import io.idlalayer.datacontroller.store.LabelSource;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SampleStoreException;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.table.TablesChange;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.LifeStage;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.change.SampleChange;
import io.idlalayer.middleware.sample.change.SchemaChange;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import io.idlalayer.modelruntime.input.InputChange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Converts a learner's state after the features or classes of its application have changed: the
 * stored samples, the rows of embedding tables, and then the identity, so that the state belongs to
 * the present settings. A crash before the next checkpoint undoes the whole conversion. A sample
 * gets the hash that an event with its content has now. Samples of removed classes are removed. If
 * an update was in training with other classes or tables, its samples wait again.
 *
 * <p>The model in state is not converted: the trainer, the scorer and the publication convert the
 * model when they read it. The survey of the fields of events begins anew. Other counts by class or
 * key are converted by the components that own them, after these were restored.
 */
public final class StateConversion {
  private final InputChange input;
  private final SampleChange change;
  private final HashKey hashKey;
  private final SampleCodec codec = new SampleCodec();
  private final LongStream.Builder gone = LongStream.builder();
  private final Set<ContentHash> givenUp;
  private final List<ContentHash> givenUpNow = new ArrayList<>();
  private long samples;
  private int removedTrained;
  private int removedUntrained;
  private int removedLabels;

  private StateConversion(
      InputChange input, SampleChange change, HashKey hashKey, Set<ContentHash> givenUp) {
    this.input = input;
    this.change = change;
    this.hashKey = hashKey;
    this.givenUp = givenUp;
  }

  /**
   * Converts the state of a learner.
   *
   * @param identity the change that {@link StoredIdentity#require} returned
   * @param givenUp contents of samples that must not be trained again
   */
  public static StateConversion convert(
      LearnerState state,
      IdentityChange identity,
      ApplicationSettings settings,
      Collection<ContentHash> givenUp) {
    ModelSpec before = identity.before();
    ModelSpec now = settings.model();
    StateConversion conversion =
        new StateConversion(
            new InputChange(before, now),
            new SampleChange(before.schema(), settings.input().schema()),
            settings.data().hashKey(),
            Set.copyOf(givenUp));
    if (!conversion.schema().isNone()) {
      conversion.convert(state.samples());
    }
    if (!conversion.input.sameRows()) {
      conversion.convertRows(state, before, now);
    }
    if (!conversion.schema().classes().isUnchanged() || !conversion.schema().ids().isUnchanged()) {
      // The update's mixture belongs to the previous classes.
      state.put(LearnerState.Slot.FIRED_UPDATE, null);
    }
    state.put(LearnerState.Slot.SURVEY, null);
    StoredIdentity.write(state, settings);
    return conversion;
  }

  private void convert(SampleStore store) {
    store.forEachMetadata(
        (id, metadata) -> {
          SampleIdentity identity = metadata.identity();
          Stored stored = read(id, identity, store.payloads(new long[] {id}).get(0));
          if (!change.keeps(stored.sample())) {
            gone.add(id);
            countRemoved(metadata);
            return;
          }
          Stored changed = stored.with(converted(id, stored.sample()));
          byte[] payload = changed.encode(codec);
          ContentHash content = hash(identity, changed.sample());
          if (givenUp.contains(identity.contentHash())) {
            givenUpNow.add(content);
          }
          SampleIdentity now =
              new SampleIdentity(
                  content,
                  identity.idHash(),
                  payload.length,
                  identity.labeled() ? (float) changed.sample().label() : identity.label(),
                  identity.labelOnly(),
                  identity.weightless(),
                  identity.source());
          store.put(
              id, payload, new SampleMetadata(now, metadata.lifecycle(), metadata.measures()));
          samples++;
        });
    store.remove(gone.build().sorted().toArray());
  }

  private void countRemoved(SampleMetadata metadata) {
    if (metadata.identity().labelOnly()) {
      removedLabels++;
    } else if (metadata.stage() == LifeStage.NEWBORN) {
      removedUntrained++;
    } else {
      removedTrained++;
    }
  }

  /**
   * A stored sample.
   *
   * @param early the label, if the sample is a label that waits for its event
   */
  private record Stored(Sample sample, @Nullable EarlyLabel early) {
    Stored with(Sample other) {
      return new Stored(other, early);
    }

    byte[] encode(SampleCodec codec) {
      byte[] encoded = codec.encode(sample);
      return early == null ? encoded : new EarlyLabel(encoded, early.record()).encode();
    }
  }

  private Stored read(long id, SampleIdentity identity, byte[] payload) {
    EarlyLabel early = identity.labelOnly() ? EarlyLabel.decode(payload) : null;
    try {
      Sample sample = codec.decode(early == null ? payload : early.sample());
      boolean withdrawn = early == null && !identity.labeled();
      return new Stored(withdrawn ? sample.withLabel(Sample.NO_LABEL) : sample, early);
    } catch (MalformedSampleException damaged) {
      throw otherSample(id, damaged);
    }
  }

  private Sample converted(long id, Sample sample) {
    try {
      return change.of(sample);
    } catch (IllegalArgumentException damaged) {
      throw otherSample(id, damaged);
    }
  }

  private static SampleStoreException otherSample(long id, Exception why) {
    return new SampleStoreException(
        "sample %d does not have the features that the state was made with: %s"
            .formatted(id, why.getMessage()),
        why);
  }

  /**
   * Returns the hash of the present content. A label that was taken back has a hash that no content
   * has.
   */
  private ContentHash hash(SampleIdentity before, Sample now) {
    boolean withdrawn = before.source() == LabelSource.WITHDRAWN && !before.labeled();
    return withdrawn ? before.contentHash() : ContentHasher.of(now, hashKey);
  }

  private void convertRows(LearnerState state, ModelSpec before, ModelSpec now) {
    byte[] tables = state.get(LearnerState.Slot.TABLES);
    EmbeddingPlan was = EmbeddingPlans.of(before);
    EmbeddingPlan is = EmbeddingPlans.of(now);
    if (tables != null) {
      byte[] changed = new TablesChange(was, is, schema().classes()).convert(state.rows(), tables);
      state.put(LearnerState.Slot.TABLES, is.tables().isEmpty() ? null : changed);
    }
  }

  /** Returns the changes of the features and classes. */
  public SchemaChange schema() {
    return change.schema();
  }

  /** Returns whether the published rows of tables remain valid as they are. */
  public boolean sameRows() {
    return input.sameRows();
  }

  /** Returns the present contents of the samples that must not train again. */
  public List<ContentHash> givenUp() {
    return List.copyOf(givenUpNow);
  }

  /** Returns the number of samples that were removed with their classes before they had trained. */
  public int removedUntrained() {
    return removedUntrained;
  }

  /**
   * Returns the number of labels that were removed, together with their classes, before their
   * events came.
   */
  public int removedLabels() {
    return removedLabels;
  }

  /** Returns what became of the stored samples, as the end of a sentence. */
  public String describe() {
    String stay = String.format(Locale.ROOT, "%,d stored samples go on with it", samples);
    long removed = (long) removedTrained + removedUntrained + removedLabels;
    return removed == 0
        ? stay
        : stay
            + String.format(
                Locale.ROOT,
                ", and %,d of removed classes are gone, %,d of which have trained",
                removed,
                removedTrained);
  }
}
