package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Collects the ids of an event while it is decoded; reused from event to event. */
final class IdDraft {
  private final List<IdFeature> features;
  private final long[][] keys;
  private final int[] counts;

  IdDraft(List<IdFeature> features) {
    this.features = features;
    keys = new long[features.size()][1];
    counts = new int[features.size()];
  }

  /** Discards the ids of the previous event. */
  void clear() {
    Arrays.fill(counts, 0);
  }

  /**
   * Adds an id to the collected ids of a feature. Ids beyond the expected number are only counted.
   *
   * @param text text of the id; an empty text is not an id
   */
  void add(int feature, String text) throws MalformedSampleException {
    if (text.isEmpty()) {
      return;
    }
    long key = FieldValues.key(features.get(feature), text);
    int count = counts[feature]++;
    int most = features.get(feature).mostIds();
    if (count >= most) {
      return;
    }
    if (count == keys[feature].length) {
      keys[feature] = Arrays.copyOf(keys[feature], Math.min(2 * count, most));
    }
    keys[feature][count] = key;
  }

  /**
   * Returns the collected ids of all features, with {@link IdLists#MISSING} for a feature without
   * any.
   */
  IdLists lists() throws MalformedSampleException {
    if (counts.length == 0) {
      return IdLists.NONE;
    }
    int[] ends = new int[counts.length];
    int end = 0;
    for (int i = 0; i < ends.length; i++) {
      int count = Math.max(1, counts[i]);
      checkCount(features.get(i), count);
      end += count;
      ends[i] = end;
    }
    long[] all = new long[end];
    int at = 0;
    for (int i = 0; i < ends.length; i++) {
      if (counts[i] == 0) {
        all[at] = IdLists.MISSING;
      } else {
        System.arraycopy(keys[i], 0, all, at, counts[i]);
      }
      at = ends[i];
    }
    return new IdLists(all, ends);
  }

  static void checkCount(IdFeature feature, int found) throws MalformedSampleException {
    if (found > feature.mostIds()) {
      throw new MalformedSampleException(
          feature.name(),
          String.format(
              Locale.ROOT, "%d ids where at most %d are expected", found, feature.mostIds()));
    }
  }
}
