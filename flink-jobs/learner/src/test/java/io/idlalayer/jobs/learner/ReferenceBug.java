package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import java.util.Map;
import java.util.TreeMap;

/**
 * What goes wrong on purpose between the events of a {@link ReferenceHistory} and the product's
 * learner, to show that the comparison finds it.
 */
enum ReferenceBug {
  NONE,
  /** Each event counts as much as any other. */
  WEIGHTS_ARE_IGNORED {
    @Override
    Sample wrong(Sample sample, boolean sentBefore) {
      return Double.isNaN(sample.weight()) ? sample : sample.withWeight(1);
    }
  },
  /** A label that comes alone is taken for that of the next id. */
  LATE_LABELS_GO_ASTRAY {
    @Override
    Sample wrong(Sample sample, boolean sentBefore) {
      return sample.labelOnly()
          ? Sample.labelOf(sample.id() + "1", sample.label()).withWeight(sample.weight())
          : sample;
    }
  },
  /** A label that comes alone brings zeros for the features that it does not have. */
  LATE_LABELS_ERASE {
    @Override
    Sample wrong(Sample sample, boolean sentBefore) {
      return sample.labelOnly()
          ? new Sample(sample.id(), new double[2], new int[1], sample.label())
              .withWeight(sample.weight())
          : sample;
    }
  },
  /** An event with an id that comes once more is a sample of its own. */
  REPEATS_COUNT_TWICE {
    @Override
    Sample wrong(Sample sample, boolean sentBefore) {
      return sentBefore && sample.hasFeatures() && !sample.absent().anyNeeded()
          ? new Sample("", sample.dense(), sample.categorical(), sample.label())
              .withWeight(sample.weight())
          : sample;
    }
  },
  /** An event without an id is found by its content, as if that were its id. */
  EQUAL_CONTENTS_ARE_ONE {
    @Override
    Sample wrong(Sample sample, boolean sentBefore) {
      return sample.id().isEmpty()
          ? new Sample(
                  Long.toHexString(ContentHasher.of(sample).high()),
                  sample.dense(),
                  sample.categorical(),
                  sample.label())
              .withWeight(sample.weight())
          : sample;
    }
  },
  /** Numbers are read in 32 bits. */
  NUMBERS_ARE_CUT {
    @Override
    Sample wrong(Sample sample, boolean sentBefore) {
      double[] cut = sample.dense().clone();
      for (int i = 0; i < cut.length; i++) {
        cut[i] = (float) cut[i];
      }
      return new Sample(
          sample.id(),
          cut,
          sample.categorical(),
          sample.ids(),
          sample.label(),
          sample.absent(),
          sample.weight());
    }
  },
  /** A label that is taken back stays. */
  RETRACTIONS_ARE_FORGOTTEN {
    @Override
    boolean retracts() {
      return false;
    }
  },
  /** A restart forgets how often contents arrived. */
  FREQUENCIES_ARE_LOST {
    @Override
    void restarts(SampleStore store) {
      Map<Long, SampleMetadata> all = new TreeMap<>();
      store.forEachMetadata(all::put);
      all.forEach(
          (id, metadata) ->
              store.put(
                  id,
                  store.payloads(new long[] {id}).get(0),
                  SampleMetadata.newborn(
                          metadata.identity(), 1, metadata.lifecycle().arrivedAtMillis())
                      .evaluated(metadata.stage(), metadata.measures(), 0, 1)));
    }
  },
  /** The first event after a checkpoint is not delivered again. */
  REDELIVERY_BEGINS_LATE {
    @Override
    int undelivered() {
      return 1;
    }
  };

  /**
   * Returns the sample of an event as the learner gets it.
   *
   * @param sentBefore whether an equal event with its id was sent before
   */
  Sample wrong(Sample sample, boolean sentBefore) {
    return sample;
  }

  /** Returns whether the learner hears of labels that are taken back. */
  boolean retracts() {
    return true;
  }

  /** Does something to what is stored before a restart reads it. */
  void restarts(SampleStore store) {}

  /** Returns how many events after a checkpoint are not delivered again. */
  int undelivered() {
    return 0;
  }
}
