package io.idlalayer.modelcontroller.quality;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.change.ColumnMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Evaluations whose classes change. */
final class ClassChangePropertyTest {
  private static final int SAMPLES = 1_500;

  private static SampleSchema.Label label(int classes) {
    return new SampleSchema.Label(
        "y", Task.CLASSIFICATION, IntStream.range(0, classes).mapToObj(i -> "c" + i).toList());
  }

  /** Evaluates a stream; labels get other numbers. */
  private static PrequentialEvaluator evaluated(long seed, int classes, int of, int... numbers) {
    Random random = new Random(seed);
    PrequentialEvaluator evaluator = new PrequentialEvaluator(label(of));
    for (int i = 0; i < SAMPLES; i++) {
      int came = random.nextInt(classes);
      int predicted = random.nextInt(classes);
      evaluator.label(numbers[came], 1);
      evaluator.scored(
          PrequentialEvaluatorTest.scored(
              new double[] {numbers[came]},
              new double[] {random.nextDouble()},
              new double[] {numbers[predicted]},
              new double[] {evaluator.noChangeLabel()},
              new double[] {evaluator.majorityLabel()}));
    }
    return evaluator;
  }

  private static PrequentialEvaluator changed(PrequentialEvaluator before, ColumnMap change) {
    PrequentialEvaluator after = new PrequentialEvaluator(label(change.after()));
    after.restore(before.snapshot());
    after.changed(change);
    return after;
  }

  /** Counts are those of classes that had their numbers from the beginning. */
  @Property(tries = 40)
  void changed_addedAndReordered_isAsIfItHadAlwaysBeenSo(@ForAll long seed) {
    Random random = new Random(seed);
    int classes = 3 + random.nextInt(5);
    List<Integer> sources = new ArrayList<>(IntStream.range(0, classes).boxed().toList());
    Collections.shuffle(sources, random);
    for (int i = random.nextInt(4); i > 0; i--) {
      sources.add(random.nextInt(sources.size() + 1), ColumnMap.ADDED);
    }
    ColumnMap change =
        new ColumnMap(classes, sources.stream().mapToInt(Integer::intValue).toArray());
    int[] numbers = IntStream.range(0, classes).map(sources::indexOf).toArray();
    int[] same = IntStream.range(0, classes).toArray();
    PrequentialEvaluator after = changed(evaluated(seed, classes, classes, same), change);
    PrequentialEvaluator expected = evaluated(seed, classes, change.after(), numbers);
    PrequentialSummary.Classification found =
        Objects.requireNonNull(after.summary().classification());
    PrequentialSummary.Classification always =
        Objects.requireNonNull(expected.summary().classification());
    assertThat(found.byClass())
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("name")
        .isEqualTo(always.byClass());
    assertThat(found.accuracy()).isEqualTo(always.accuracy());
    assertThat(found.logLoss()).isEqualTo(always.logLoss());
    assertThat(found.noChangeAccuracy()).isEqualTo(always.noChangeAccuracy());
    after.label(0, 1);
    expected.label(0, 1);
    assertThat(after.noChangeLabel()).isEqualTo(expected.noChangeLabel());
    assertThat(after.majorityLabel()).isEqualTo(expected.majorityLabel());
  }

  @Property(tries = 40)
  void changed_removed_forgetsItsSamplesAndNothingElse(@ForAll long seed) {
    int classes = 4;
    int[] same = IntStream.range(0, classes).toArray();
    PrequentialEvaluator before = evaluated(seed, classes, classes, same);
    PrequentialEvaluator after = changed(before, new ColumnMap(classes, 0, 2, 3));
    PrequentialSummary.Classification was =
        Objects.requireNonNull(before.summary().classification());
    PrequentialSummary.Classification is = Objects.requireNonNull(after.summary().classification());
    assertThat(is.byClass().stream().map(each -> each.samples()).toList())
        .containsExactly(
            was.byClass().get(0).samples(),
            was.byClass().get(2).samples(),
            was.byClass().get(3).samples());
    assertThat(is.byClass().stream().map(each -> each.correct()).toList())
        .containsExactly(
            was.byClass().get(0).correct(),
            was.byClass().get(2).correct(),
            was.byClass().get(3).correct());
    assertThat(is.logLoss()).isFinite().isPositive();
    after.label(1, 1);
    assertThat(after.majorityLabel()).isBetween(0.0, 2.0);
    PrequentialEvaluator again = new PrequentialEvaluator(label(3));
    again.restore(after.snapshot());
    assertThat(again.summary()).isEqualTo(after.summary());
  }
}
