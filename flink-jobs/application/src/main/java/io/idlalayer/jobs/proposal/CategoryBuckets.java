package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.format.SampleDraft;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;

/**
 * The number of buckets of a categorical feature whose values are known: about four for each value.
 * Values that share a bucket are one for the model, so among such numbers it is the one with the
 * fewest values that do.
 */
final class CategoryBuckets {
  private static final int LEAST = 16;
  private static final int OF_VALUE = 4;

  private CategoryBuckets() {}

  /**
   * @param values the values, each once
   */
  static int of(Collection<String> values) {
    int first = LEAST;
    while (first < OF_VALUE * values.size()) {
      first *= 2;
    }
    int best = first;
    int most = 0;
    for (int buckets = first; buckets <= 2 * first && most < values.size(); buckets++) {
      int apart = apart(values, buckets);
      if (apart > most) {
        most = apart;
        best = buckets;
      }
    }
    return best;
  }

  /** Returns how many buckets the values have. */
  static int apart(Collection<String> values, int buckets) {
    SampleDraft draft =
        new SampleDraft(
            new SampleSchema(
                List.of(),
                List.of(),
                List.of(new CategoricalFeature("category", buckets)),
                new SampleSchema.Label("", SampleSchema.Task.REGRESSION, List.of()),
                null));
    BitSet taken = new BitSet();
    for (String value : values) {
      try {
        draft.clear();
        draft.category(0, value);
        taken.set(draft.sample().categorical()[0]);
      } catch (MalformedSampleException halfOfACharacter) {
        // An event with such a value is refused.
      }
    }
    return taken.cardinality();
  }
}
