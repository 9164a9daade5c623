package io.idlalayer.jobs.learner.state;

import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SampleStoreException;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.SampleChange;

/**
 * Converts a learner's state after the features of its application have changed: the stored
 * samples, and then the identity, so that the state is of the settings now. A crash before the next
 * checkpoint takes all of it back. The hash of a sample's content stays that of the event that
 * brought it. The model in state is not converted: the trainer, the scorer and the publication do
 * that when they read it. What was noticed in the fields of events begins anew.
 */
public final class StateConversion {
  private final SampleChange change;
  private final SampleCodec codec = new SampleCodec();
  private long samples;

  private StateConversion(SampleChange change) {
    this.change = change;
  }

  /**
   * Converts the state of a learner.
   *
   * @param identity what {@link StoredIdentity#require} returned, which is a change
   */
  public static StateConversion convert(
      LearnerState state, IdentityChange identity, ApplicationSettings settings) {
    SampleSchema now = settings.input().schema();
    StateConversion conversion = new StateConversion(new SampleChange(identity.before(), now));
    if (!conversion.change.schema().isNone()) {
      conversion.convert(state.samples());
    }
    state.put(LearnerState.Slot.SURVEY, null);
    StoredIdentity.write(state, settings);
    return conversion;
  }

  private void convert(SampleStore store) {
    store.forEachMetadata(
        (id, metadata) -> {
          byte[] payload = converted(id, store.payloads(new long[] {id}).get(0));
          SampleIdentity identity = metadata.identity();
          SampleIdentity resized =
              new SampleIdentity(
                  identity.contentHash(),
                  identity.idHash(),
                  payload.length,
                  identity.label(),
                  identity.labelOnly(),
                  identity.weightless(),
                  identity.source());
          store.put(
              id, payload, new SampleMetadata(resized, metadata.lifecycle(), metadata.measures()));
          samples++;
        });
  }

  private byte[] converted(long id, byte[] payload) {
    try {
      return codec.encode(change.of(codec.decode(payload)));
    } catch (MalformedSampleException | IllegalArgumentException damaged) {
      throw new SampleStoreException(
          "sample %d is not of the features that its state was made with: %s"
              .formatted(id, damaged.getMessage()),
          damaged);
    }
  }

  /** Returns where the dense values of samples come from. */
  public ColumnMap dense() {
    return change.schema().dense();
  }

  /** Returns the number of converted samples. */
  public long samples() {
    return samples;
  }
}
