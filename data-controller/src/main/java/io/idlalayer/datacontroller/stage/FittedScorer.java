package io.idlalayer.datacontroller.stage;

import io.idlalayer.middleware.fuzzy.regression.TakagiSugenoModel;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scores samples with the Takagi-Sugeno model R(f, c, s, xi) of the quality of updates (Rang 2021,
 * chapter 5), which is fitted on the mean facts of updates. A sample's score is the quality that R
 * predicts after an update of only such samples, minus the quality that R predicts after an update
 * of mean samples (specs, iDlaLayer 1.2 points 1, 2 and 5).
 *
 * <p>As long as R has learned from too few updates, the score is the rank of the contribution. The
 * score is also this rank if R predicts the quality after the next update worse than a prediction
 * that the quality stays the same, because a model that cannot predict must not decide.
 */
final class FittedScorer implements StageScorer {
  static final int LAGS = 2;
  static final int INPUTS = 3 + 2 * LAGS;
  private static final int ROWS_MAX = 256;
  private static final int ROWS_TO_TRUST = 3 * (2 * LAGS + 4);
  private static final int REFIT_EVERY = 16;
  private static final double ERROR_DECAY = 0.95;
  private static final StateFormat FORMAT = StateFormat.first("fitted scores");

  private final Deque<double[]> rows = new ArrayDeque<>();
  private final double[] qualities = new double[LAGS];
  private final double[] frequencies = new double[LAGS];
  private final double[] inputs = new double[INPUTS];
  private double[] strengths = {};
  private double @Nullable [] awaiting;
  private @Nullable TakagiSugenoModel model;
  private double meanOutput;
  private double modelError;
  private double lastError;
  private int seen;

  @Override
  public void observe(double[] meanFacts) {
    fill(meanFacts);
    awaiting = inputs.clone();
    frequencies[1] = frequencies[0];
    frequencies[0] = meanFacts[SampleFact.FREQUENCY.at()];
    TakagiSugenoModel now = model;
    meanOutput = now == null ? 0 : now.predict(awaiting);
  }

  private void fill(double[] facts) {
    inputs[0] = facts[SampleFact.FREQUENCY.at()];
    inputs[1] = facts[SampleFact.WORTH.at()];
    inputs[2] = facts[SampleFact.STAGE.at()];
    System.arraycopy(qualities, 0, inputs, 3, LAGS);
    System.arraycopy(frequencies, 0, inputs, 3 + LAGS, LAGS);
  }

  @Override
  public void quality(double quality) {
    double[] row = awaiting;
    if (row != null && Double.isFinite(quality)) {
      awaiting = null;
      if (seen >= LAGS) {
        learn(row, quality);
      }
      seen++;
      qualities[1] = qualities[0];
      qualities[0] = quality;
    }
  }

  private void learn(double[] row, double quality) {
    TakagiSugenoModel now = model;
    if (now != null) {
      modelError = ERROR_DECAY * modelError + Math.abs(now.predict(row) - quality);
      lastError = ERROR_DECAY * lastError + Math.abs(row[3] - quality);
      now.update(row, quality);
    }
    double[] labeled = Arrays.copyOf(row, INPUTS + 1);
    labeled[INPUTS] = quality;
    rows.addLast(labeled);
    if (rows.size() > ROWS_MAX) {
      rows.removeFirst();
    }
    if (now == null || seen % REFIT_EVERY == 0) {
      fit();
    }
  }

  private void fit() {
    double[][] x = new double[rows.size()][];
    double[] y = new double[x.length];
    int at = 0;
    for (double[] row : rows) {
      x[at] = Arrays.copyOf(row, INPUTS);
      y[at++] = row[INPUTS];
    }
    model =
        TakagiSugenoModel.fit(x, y, new TakagiSugenoModel.Settings(8, ROWS_TO_TRUST, 0.98))
            .orElse(null);
    strengths = new double[model == null ? 0 : model.rules()];
  }

  /** Returns whether the fitted model is good enough to decide the scores. */
  boolean trusted() {
    return model != null && rows.size() >= ROWS_TO_TRUST && modelError < lastError;
  }

  @Override
  public double score(double[] facts) {
    TakagiSugenoModel now = model;
    if (now == null || !trusted()) {
      return facts[SampleFact.CONTRIBUTION.at()];
    }
    double[] row = awaiting;
    fill(facts);
    if (row != null) {
      // The lags belong to the update that is being scored, not to the next update.
      System.arraycopy(row, 3, inputs, 3, 2 * LAGS);
    }
    now.strengths(inputs, strengths);
    return now.predict(inputs) - meanOutput;
  }

  @Override
  public List<String> rules() {
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= strengths.length; i++) {
      names.add("rule %d of the fitted Takagi-Sugeno model".formatted(i));
    }
    return names;
  }

  @Override
  public double[] strengths() {
    return strengths;
  }

  @Override
  public byte[] snapshot() {
    StateWriter out =
        FORMAT
            .writer()
            .putInt(1, seen)
            .putDoubles(2, rows.stream().flatMapToDouble(Arrays::stream).toArray())
            .putDoubles(3, qualities)
            .putDoubles(4, frequencies)
            .putDouble(5, meanOutput)
            .putDouble(6, modelError)
            .putDouble(7, lastError);
    double[] row = awaiting;
    if (row != null) {
      out.putDoubles(8, row);
    }
    TakagiSugenoModel now = model;
    if (now != null) {
      out.putBytes(9, now.encode());
    }
    return out.bytes();
  }

  @Override
  public void restore(byte[] snapshot) {
    if (snapshot.length == 0) {
      return;
    }
    StateReader in = FORMAT.reader(snapshot);
    double[] numbers = in.getDoubles(2);
    int rowLength = INPUTS + 1;
    if (numbers.length % rowLength != 0) {
      throw in.refused(
          "field 2: %d numbers are not rows of %d".formatted(numbers.length, rowLength));
    }
    rows.clear();
    for (int at = 0; at < numbers.length; at += rowLength) {
      rows.addLast(Arrays.copyOfRange(numbers, at, at + rowLength));
    }
    seen = in.getInt(1);
    System.arraycopy(in.getDoubles(3, LAGS), 0, qualities, 0, LAGS);
    System.arraycopy(in.getDoubles(4, LAGS), 0, frequencies, 0, LAGS);
    meanOutput = in.getDouble(5);
    modelError = in.getDouble(6);
    lastError = in.getDouble(7);
    awaiting = in.has(8) ? in.getDoubles(8, INPUTS) : null;
    model = in.has(9) ? TakagiSugenoModel.decode(in.getBytes(9)) : null;
    strengths = new double[model == null ? 0 : model.rules()];
  }
}
