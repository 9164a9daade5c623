package io.idlalayer.modelruntime.artifact;

import io.idlalayer.middleware.sample.SampleSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A column whose numbers are far from 0 but so close together that floating point cannot tell them
 * apart: at their distance from 0, the spacing of floats is above a hundredth of the column's
 * scale. A network can hardly learn anything from such a column.
 *
 * @param name feature, with the index of its value if it has several; or the label
 * @param centre centre of the numbers
 * @param deviation standard deviation of the numbers, as far as it is known
 * @param bits size of the form: 64, or 32 if the model does not standardize
 */
public record CoarseColumn(String name, double centre, double deviation, int bits) {
  private static final double SPACINGS_PER_SCALE = 100;

  /** From this value on, neighbouring integers can be equal as doubles. */
  private static final double WHOLE_MAX = 0x1p53;

  /**
   * Returns the coarse columns of a scaler. For a model that does not standardize, only the column
   * of a single feature and that of the target can be recognized.
   */
  public static List<CoarseColumn> of(SampleSchema schema, FeatureScaler scaler) {
    FeatureScaler.State state = scaler.state();
    List<CoarseColumn> coarse = new ArrayList<>();
    int last = state.columns().size() - 1;
    if (state.enabled() || state.denseWidth() == 1) {
      int column = 0;
      for (SampleSchema.DenseFeature feature : schema.dense()) {
        for (int i = 0; i < feature.values(); i++) {
          String name = feature.values() == 1 ? feature.name() : feature.name() + "[" + i + "]";
          add(name, state.columns().get(column++), state.enabled(), coarse);
        }
      }
    }
    if (state.target()) {
      add(schema.label().name(), state.columns().get(last), state.enabled(), coarse);
    }
    return coarse;
  }

  private static void add(
      String name, RobustColumn.State column, boolean standardized, List<CoarseColumn> to) {
    double centre = column.mean();
    double deviation = Math.sqrt(column.variance());
    double spacing = standardized ? Math.ulp(centre) : Math.ulp((float) centre);
    boolean known = !RobustColumn.unseen(column) && !column.binary();
    boolean varies = deviation > 0 || (standardized && Math.abs(centre) >= WHOLE_MAX);
    if (known && varies && deviation < SPACINGS_PER_SCALE * spacing) {
      to.add(new CoarseColumn(name, centre, deviation, standardized ? 64 : 32));
    }
  }

  /** Returns a sentence that says which column it is, and what to do. */
  public String warning() {
    String what =
        String.format(
            Locale.ROOT,
            "the numbers of '%s' are around %.6g and vary by %.3g, which numbers of %d bits cannot"
                + " tell apart there",
            name,
            centre,
            deviation,
            bits);
    return bits == 64
        ? what + "; send them with an offset taken off, or an id or category as such"
        : what + "; set model.standardize: true";
  }
}
