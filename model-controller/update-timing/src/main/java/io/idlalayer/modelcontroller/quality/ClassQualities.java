package io.idlalayer.modelcontroller.quality;

import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.ClassQuality;
import io.idlalayer.modelcontroller.quality.PrequentialSummary.Classification;
import io.idlalayer.modelcontroller.quality.metrics.ClassAnswer;
import io.idlalayer.modelcontroller.quality.metrics.ClassMeasures;
import io.idlalayer.modelcontroller.quality.metrics.ClassNumbers;
import io.idlalayer.modelcontroller.quality.metrics.ClassTally;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The quality of predicted classes since the stream began, and on the last {@link
 * PrequentialSummary#WINDOW} samples. The last samples are stored one by one, with about 72 bytes
 * each, and are added up for each summary. Of older samples only sums are stored. An object takes
 * about 220 KiB, and 288 bytes for each class. Confined to one thread.
 */
final class ClassQualities {
  private final List<String> names;
  private final ClassMeasures older;

  /** Sums over the last samples, and over all samples, as of the last summary. */
  private final ClassMeasures late;

  private final ClassMeasures all;
  private final Deque<ClassAnswer> recent = new ArrayDeque<>();

  /**
   * @param names names of the classes, by number
   */
  ClassQualities(List<String> names) {
    this.names = names;
    older = new ClassMeasures(names.size());
    late = new ClassMeasures(names.size());
    all = new ClassMeasures(names.size());
  }

  void add(ClassAnswer answer) {
    recent.addLast(answer);
    if (recent.size() > PrequentialSummary.WINDOW) {
      older.add(recent.removeFirst());
    }
  }

  /** Returns the quality of all samples so far. */
  Classification summary() {
    late.clear();
    recent.forEach(late::add);
    all.clear();
    all.add(older);
    all.add(late);
    return new Classification(
        all.logLoss(),
        all.accuracy(),
        late.accuracy(),
        all.noChangeAccuracy(),
        all.majorityAccuracy(),
        late.noChangeAccuracy(),
        late.majorityAccuracy(),
        byClass(),
        late.logLoss(),
        all.metrics(),
        late.metrics(),
        all.calibration());
  }

  /**
   * Returns the quality of the classes in the order of their numbers. If there are too many
   * classes, the list has the classes that were most frequent among the last samples, and then the
   * classes that were most frequent overall.
   */
  private List<ClassQuality> byClass() {
    ClassTally ever = all.counts();
    ClassTally lately = late.counts();
    return IntStream.range(0, ever.classes())
        .boxed()
        .filter(label -> ever.samples(label) + ever.predicted(label) > 0)
        .sorted(
            Comparator.comparingDouble((Integer label) -> lately.samples(label))
                .thenComparingDouble(ever::samples)
                .reversed())
        .limit(PrequentialSummary.MOST_CLASSES)
        .sorted()
        .map(label -> quality(label, ever, lately))
        .toList();
  }

  private ClassQuality quality(int label, ClassTally ever, ClassTally lately) {
    return new ClassQuality(
        label < names.size() ? names.get(label) : Integer.toString(label),
        Math.round(ever.samples(label)),
        Math.round(ever.predicted(label)),
        Math.round(ever.correct(label)),
        Math.round(lately.samples(label)),
        Math.round(lately.predicted(label)),
        Math.round(lately.correct(label)));
  }

  /** Writes the sums and the last samples to fields of the state, beginning with {@code from}. */
  StateWriter write(StateWriter out, int from) {
    List<ClassAnswer> last = new ArrayList<>(recent);
    older.write(out, from);
    int at = from + ClassMeasures.FIELDS;
    return out.putInts(at, last.stream().mapToInt(ClassAnswer::label).toArray())
        .putInts(at + 1, last.stream().mapToInt(ClassAnswer::predicted).toArray())
        .putInts(at + 2, last.stream().mapToInt(ClassAnswer::noChange).toArray())
        .putInts(at + 3, last.stream().mapToInt(ClassAnswer::majority).toArray())
        .putInts(at + 4, last.stream().mapToInt(ClassAnswer::rank).toArray())
        .putDoubles(at + 5, last.stream().mapToDouble(ClassAnswer::logLoss).toArray())
        .putDoubles(at + 6, last.stream().mapToDouble(ClassAnswer::probability).toArray())
        .putDoubles(at + 7, last.stream().mapToDouble(ClassAnswer::weight).toArray());
  }

  /** Adapts to a change of the classes. Samples of classes that no longer exist are dropped. */
  void changed(ClassNumbers numbers) {
    older.changed(numbers);
    List<ClassAnswer> last = List.copyOf(recent);
    recent.clear();
    last.stream()
        .filter(answer -> numbers.of(answer.label()) != ClassAnswer.NONE)
        .map(answer -> answer.changed(numbers))
        .forEach(recent::addLast);
  }

  /** Reads the fields that {@link #write} has written. */
  void read(StateReader in, int from) {
    older.read(in, from);
    int at = from + ClassMeasures.FIELDS;
    int[] labels = in.getInts(at);
    int[] predicted = in.getInts(at + 1);
    int[] noChange = in.getInts(at + 2);
    int[] majority = in.getInts(at + 3);
    int[] ranks = in.getInts(at + 4);
    double[] logLosses = in.getDoubles(at + 5, labels.length);
    double[] probabilities = in.getDoubles(at + 6, labels.length);
    double[] weights = in.getDoubles(at + 7, labels.length);
    if (labels.length > PrequentialSummary.WINDOW
        || Stream.of(predicted, noChange, majority, ranks)
            .anyMatch(each -> each.length != labels.length)) {
      throw in.refused("its last samples contradict each other");
    }
    recent.clear();
    for (int i = 0; i < labels.length; i++) {
      recent.addLast(
          new ClassAnswer(
              labels[i],
              predicted[i],
              noChange[i],
              majority[i],
              logLosses[i],
              probabilities[i],
              ranks[i],
              weights[i]));
    }
  }
}
