package io.idlalayer.middleware.sample;

/**
 * The result of merging a stored sample with a later event of its id. Each field of the later event
 * replaces the stored field; all other fields stay. Two things never change once they are known:
 * the key of the event, and the context of the key when the event arrived.
 *
 * @param sample the stored sample with the fields of the later event
 * @param adds whether the later event has a value or a label that the stored sample lacked
 * @param changes whether the later event has another value or label than the stored sample
 */
public record MergedSample(Sample sample, boolean adds, boolean changes) {
  /** Returns the result of merging a stored sample with a later event of its id. */
  public static MergedSample of(Sample stored, Sample later) {
    return new Merge(stored, later).result();
  }

  /** Returns whether the later event has brought nothing new. */
  public boolean saysNothing() {
    return !adds && !changes;
  }

  private static final class Merge {
    private final Sample stored;
    private final Sample later;
    private boolean adds;
    private boolean changes;

    Merge(Sample stored, Sample later) {
      this.stored = stored;
      this.later = later;
    }

    MergedSample result() {
      double label = label();
      double weight = weight();
      if (!later.hasFeatures()) {
        Sample sample = adds || changes ? stored.withLabel(label).withWeight(weight) : stored;
        return new MergedSample(sample, adds, changes);
      }
      if (!stored.hasFeatures()) {
        return new MergedSample(later.withLabel(label).withWeight(weight), true, changes);
      }
      if (!alike()) {
        return new MergedSample(
            later.withLabel(label).withWeight(weight).withContext(context()), adds, true);
      }
      double[] dense = dense();
      int[] categorical = categorical();
      IdLists ids = ids();
      AbsentValues absent = stored.absent().and(later.absent());
      return new MergedSample(
          new Sample(later.id(), dense, categorical, ids, label, absent, weight)
              .withContext(context()),
          adds,
          changes);
    }

    /** Returns the context, which stays as it was when the event arrived. */
    private KeyContext context() {
      return stored.context().hasKey() ? stored.context() : later.context();
    }

    /**
     * Returns whether both samples have the same number of features of each kind, as all samples of
     * one schema have.
     */
    private boolean alike() {
      return stored.dense().length == later.dense().length
          && stored.categorical().length == later.categorical().length
          && stored.ids().features() == later.ids().features();
    }

    private double label() {
      if (!later.labeled()) {
        return stored.label();
      }
      if (stored.labeled()) {
        changes |= differ(stored.label(), later.label());
      } else {
        adds = true;
      }
      return later.label();
    }

    private double weight() {
      if (Double.isNaN(later.weight())) {
        return stored.weight();
      }
      if (Double.isNaN(stored.weight())) {
        adds = true;
      } else {
        changes |= differ(stored.weight(), later.weight());
      }
      return later.weight();
    }

    private void differs(int place) {
      if (stored.absent().at(place)) {
        adds = true;
      } else {
        changes = true;
      }
    }

    private double[] dense() {
      double[] dense = stored.dense().clone();
      for (int i = 0; i < dense.length; i++) {
        if (!later.absent().at(i)) {
          if (differ(dense[i], later.dense()[i])) {
            differs(i);
          }
          dense[i] = later.dense()[i];
        }
      }
      return dense;
    }

    private int[] categorical() {
      int[] categorical = stored.categorical().clone();
      int from = stored.dense().length;
      for (int i = 0; i < categorical.length; i++) {
        if (!later.absent().at(from + i)) {
          if (categorical[i] != later.categorical()[i]) {
            differs(from + i);
          }
          categorical[i] = later.categorical()[i];
        }
      }
      return categorical;
    }

    private IdLists ids() {
      int from = stored.dense().length + stored.categorical().length;
      int features = stored.ids().features();
      IdLists[] sources = new IdLists[features];
      for (int feature = 0; feature < features; feature++) {
        sources[feature] = stored.ids();
        if (!later.absent().at(from + feature)) {
          if (!stored.ids().sameKeys(later.ids(), feature)) {
            differs(from + feature);
          }
          sources[feature] = later.ids();
        }
      }
      return IdLists.of(sources);
    }

    private static boolean differ(double one, double other) {
      return Double.doubleToLongBits(one + 0.0) != Double.doubleToLongBits(other + 0.0);
    }
  }
}
