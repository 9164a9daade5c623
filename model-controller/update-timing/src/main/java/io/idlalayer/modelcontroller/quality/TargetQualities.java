package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Regression;
import io.idlalayer.modelcontroller.quality.metrics.TargetAnswer;
import io.idlalayer.modelcontroller.quality.metrics.TargetErrors;
import io.idlalayer.modelcontroller.quality.metrics.TargetMeasures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The quality of predicted targets since the stream began, and on the last {@link
 * PrequentialSummary#WINDOW} samples. The last samples are stored one by one, with about 56 bytes
 * each, and are added up for each summary. Of older samples only sums are stored. An object takes
 * about 60 KiB. Confined to one thread.
 */
final class TargetQualities {
  private final TargetMeasures older = new TargetMeasures();
  private final Deque<TargetAnswer> recent = new ArrayDeque<>();
  private final double level;

  /**
   * @param level level of the quantile that the models are trained for; NaN if there is none
   */
  TargetQualities(double level) {
    this.level = level;
  }

  void add(TargetAnswer answer) {
    recent.addLast(answer);
    if (recent.size() > PrequentialSummary.WINDOW) {
      older.add(recent.removeFirst());
    }
  }

  /** Returns the quality of all samples so far. */
  Regression summary() {
    TargetMeasures late = new TargetMeasures();
    recent.forEach(late::add);
    TargetMeasures all = new TargetMeasures();
    all.add(older);
    all.add(late);
    TargetErrors errors = all.errors();
    TargetErrors lateErrors = late.errors();
    return new Regression(
        errors.meanAbsolute(),
        errors.rootMeanSquared(),
        all.noChangeErrors().meanAbsolute(),
        lateErrors.meanAbsolute(),
        lateErrors.rootMeanSquared(),
        late.noChangeErrors().meanAbsolute(),
        all.metrics(level),
        late.metrics(level));
  }

  /** Writes the sums and the last samples to fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    List<TargetAnswer> last = new ArrayList<>(recent);
    older.write(out, from);
    int at = from + TargetMeasures.FIELDS;
    return out.putDoubles(at, last.stream().mapToDouble(TargetAnswer::label).toArray())
        .putDoubles(at + 1, last.stream().mapToDouble(TargetAnswer::predicted).toArray())
        .putDoubles(at + 2, last.stream().mapToDouble(TargetAnswer::noChange).toArray())
        .putDoubles(at + 3, last.stream().mapToDouble(TargetAnswer::weight).toArray());
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    older.read(in, from);
    int at = from + TargetMeasures.FIELDS;
    double[] labels = in.getDoubles(at);
    double[] predicted = in.getDoubles(at + 1, labels.length);
    double[] noChange = in.getDoubles(at + 2, labels.length);
    double[] weights = in.getDoubles(at + 3, labels.length);
    if (labels.length > PrequentialSummary.WINDOW) {
      throw in.refused("%d samples are more than its window".formatted(labels.length));
    }
    recent.clear();
    for (int i = 0; i < labels.length; i++) {
      recent.addLast(new TargetAnswer(labels[i], predicted[i], noChange[i], weights[i]));
    }
  }
}
