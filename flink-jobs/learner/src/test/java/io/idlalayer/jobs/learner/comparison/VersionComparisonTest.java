package io.idlalayer.jobs.learner.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.ComparedVersions;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelcontroller.quality.PrequentialEvaluator;
import io.idlalayer.modelcontroller.quality.QualityMetric;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which versions are kept, and which events count, with models that always predict one class. */
final class VersionComparisonTest {
  private static final int EVERY = 100;
  private static final int ALL = VersionComparison.ONE_OF;
  private static final SampleSchema.Label LABEL =
      new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1"));

  private final List<SlowScorer> scorers = new ArrayList<>();
  private VersionComparison comparison = comparison();
  private long ids;

  private VersionComparison comparison() {
    return new VersionComparison(
        EVERY,
        QualityMetric.ACCURACY,
        () -> new PrequentialEvaluator(LABEL),
        () -> {
          SlowScorer made = new SlowScorer();
          scorers.add(made);
          return made;
        });
  }

  /** Publishes a version that always predicts a class. */
  private boolean published(long version, long learned, int predicts, int awaited) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put("class", new byte[] {(byte) predicts});
    files.put(ModelArtifact.HELD_OUT_FILE, new byte[99]);
    return comparison.published(version, learned, new ModelArtifact(files), awaited);
  }

  /** The model scores events with a label, of which it predicts the opposite. */
  private ScoredBatch batch(int events, int label) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      samples.add(new Sample("s" + ids++, new double[] {1}, new int[0], label));
    }
    double[] before = new double[events];
    return SlowScorer.always(
        1 - label,
        new ScoringBatch(
            samples.stream().mapToLong(each -> Long.parseLong(each.id().substring(1))).toArray(),
            samples,
            before,
            before));
  }

  private void scored(int events, int label) {
    comparison.scored(batch(events, label));
  }

  private void settle() {
    for (int i = 0; i < 10; i++) {
      comparison.poll();
      scorers.forEach(SlowScorer::work);
    }
    comparison.poll();
  }

  private ComparedVersions results() {
    return Objects.requireNonNull(comparison.results());
  }

  @Test
  void published_beforeTheFirstInterval_keepsNothing() {
    assertThat(published(1, EVERY - 1, 0, 0)).isFalse();
    scored(10 * ALL, 0);
    assertThat(comparison.poll()).isFalse();
    assertThat(comparison.results()).isNull();
    assertThat(comparison.snapshot()).isNull();
    assertThat(comparison.versionsSnapshot()).isNull();
    assertThat(comparison.idle()).isTrue();
    assertThat(scorers).isEmpty();
  }

  @Test
  void published_afterEachInterval_keepsTheFirstAndTheNewest() {
    assertThat(published(1, EVERY, 0, 0)).isTrue();
    assertThat(published(2, 2 * EVERY - 1, 0, 0)).isFalse();
    assertThat(published(3, 2 * EVERY + 7, 1, 0)).isTrue();
    assertThat(published(4, 3 * EVERY - 1, 0, 0)).isFalse();
    assertThat(results().once()).extracting(ComparedVersions.KeptVersion::version).isEqualTo(1L);
    assertThat(results().renewed().version()).isEqualTo(3);
    assertThat(results().renewed().learned()).isEqualTo(2 * EVERY + 7);
    scored(10 * ALL, 1);
    settle();
    assertThat(results().samples()).isEqualTo(10);
    assertThat(results().model().value()).isZero();
    assertThat(results().once().quality().value()).isZero();
    assertThat(results().renewed().quality().value()).isEqualTo(1);
  }

  @Test
  void published_aVersionOfManyBytes_isNotKept() {
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put("class", ByteBuffer.allocate((int) VersionComparison.MOST_BYTES + 1).array());
    assertThat(comparison.published(1, EVERY, new ModelArtifact(files), 0)).isFalse();
  }

  @Test
  void scored_eventsThatTheVersionMayHaveLearned_testNothing() {
    published(1, EVERY, 0, 5);
    scored(3, 1);
    comparison.scored(ScoredBatch.failed(batch(1, 1).batch(), "no model"));
    scored(1 + 6 * ALL, 0);
    settle();
    assertThat(results().samples()).isEqualTo(6);
    assertThat(results().once().quality().value()).isEqualTo(1);
  }

  @Test
  void relearned_sampleWithAnotherLabel_testsNothing() {
    published(1, EVERY, 0, 0);
    comparison.relearned(0);
    comparison.relearned(ALL);
    scored(3 * ALL, 1);
    settle();
    assertThat(results().samples()).isEqualTo(3);
    // 10 events are left beside the two.
    assertThat(results().once().quality().value()).isZero();
    comparison.relearned(3 * ALL);
    scored(1, 0);
    settle();
    assertThat(results().samples()).isEqualTo(3);
  }

  @Test
  void scored_targetThatOneCannotPredict_countsForNone() {
    SampleSchema.Label target =
        new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of());
    comparison =
        new VersionComparison(
            EVERY,
            QualityMetric.MAE,
            () -> new PrequentialEvaluator(target),
            () -> {
              SlowScorer made = new SlowScorer();
              scorers.add(made);
              return made;
            });
    published(1, EVERY, 0, 0);
    published(2, 2 * EVERY, 0, 0);
    scorers.get(0).wild = 1;
    scored(3 * ALL, 1);
    settle();
    assertThat(results().samples()).isEqualTo(2);
  }

  @Test
  void published_whileEventsWait_testsThemByTheVersionBefore() {
    published(1, EVERY, 1, 0);
    scored(2 * ALL, 1);
    published(2, 2 * EVERY, 0, 0);
    scored(2 * ALL, 1);
    settle();
    assertThat(results().samples()).isEqualTo(4);
    assertThat(results().once().quality().value()).isEqualTo(1);
    assertThat(results().renewed().quality().value()).isEqualTo(0.5);
  }

  @Test
  void poll_ofAVersionThatCannotBeScored_countsTheEventsForNone() {
    published(1, EVERY, 0, 0);
    scored(ALL, 0);
    comparison.poll();
    scorers.get(1).fails = "no memory";
    scored(ALL, 0);
    settle();
    scorers.get(1).fails = "";
    scored(ALL, 0);
    settle();
    assertThat(results().samples()).isEqualTo(2);
    assertThat(comparison.idle()).isTrue();
  }

  @Test
  void poll_ofAScorerThatIsBehind_keepsABoundedNumberOfEvents() {
    published(1, EVERY, 0, 0);
    for (int i = 0; i < 100; i++) {
      scored(256, 0);
      comparison.poll();
    }
    assertThat(comparison.idle()).isFalse();
    settle();
    assertThat(results().samples()).isLessThan(100 * 256 / ALL).isGreaterThan(256);
    assertThat(comparison.idle()).isTrue();
  }

  @Test
  void poll_ofAScorerThatHasEnded_keepsTheResults() {
    published(1, EVERY, 0, 0);
    scored(ALL, 0);
    settle();
    scorers.get(1).refuses = true;
    scored(ALL, 0);
    settle();
    scored(ALL, 0);
    assertThat(published(2, 2 * EVERY, 1, 0)).as("it would not be tested").isFalse();
    assertThat(results().renewed().version()).isEqualTo(1);
    assertThat(results().samples()).isEqualTo(1);
    assertThat(comparison.idle()).isTrue();
    comparison.close();
    assertThat(scorers).allMatch(each -> each.closed);
  }

  @Test
  void restore_ofASnapshot_goesOnWithVersionsAndResults() {
    published(1, EVERY, 0, 0);
    published(2, 2 * EVERY, 1, 0);
    scored(10 * ALL + 1, 1);
    settle();
    byte[] sums = Objects.requireNonNull(comparison.snapshot());
    byte[] versions = Objects.requireNonNull(comparison.versionsSnapshot());
    ComparedVersions before = results();
    scorers.clear();
    comparison = comparison();
    comparison.restore(sums, versions);
    assertThat(results()).isEqualTo(before);
    scored(ALL - 1, 0);
    settle();
    assertThat(results().samples()).as("every fourth event since the beginning").isEqualTo(11);
    scored(1, 0);
    settle();
    assertThat(results().samples()).isEqualTo(12);
    assertThat(results().once().quality().value()).isCloseTo(1.0 / 12, offset());
    assertThat(comparison.versionsSnapshot()).isEqualTo(versions);
  }

  private static org.assertj.core.data.Offset<Double> offset() {
    return org.assertj.core.data.Offset.offset(1e-12);
  }
}
