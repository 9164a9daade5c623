package io.idlalayer.modelcontroller.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ScorerTest {
  private static final double NONE = Double.NaN;

  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicBoolean ignoreInterrupts = new AtomicBoolean();
  private final AtomicLong nanos = new AtomicLong();
  private final Scorer scorer = new Scorer("test-scorer", this::load, 60, nanos::get);

  /** Model n is one file of the byte n; number 0 does not load, number 9 lacks a class. */
  private FakeModel load(ModelArtifact artifact) throws IOException {
    byte number = artifact.files().get("n")[0];
    if (number == 0) {
      throw new IOException("torn file");
    }
    if (number == 9) {
      throw new NoClassDefFoundError("a.custom.Layer");
    }
    return new FakeModel(number, gate, open, waiting, ignoreInterrupts);
  }

  private static ModelArtifact model(int number) {
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put("n", new byte[] {(byte) number});
    return new ModelArtifact(files);
  }

  private static ScoringBatch batch(long id, double value) {
    return new ScoringBatch(
        new long[] {id},
        List.of(Sample.of(new double[] {value}, 5)),
        new double[] {NONE},
        new double[] {NONE});
  }

  /** A scorer is polled by one thread. */
  private static ConditionFactory patiently() {
    return Awaitility.await()
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(1))
        .atMost(Duration.ofMinutes(2));
  }

  private ScoredBatch take() {
    return patiently().until(scorer::poll, Optional::isPresent).orElseThrow();
  }

  @AfterEach
  void close() {
    gate.countDown();
    scorer.close();
  }

  @Test
  void poll_batch_isScoredByTheModelServedBefore() {
    gate.countDown();
    scorer.serve(model(1), null);
    scorer.offer(batch(10, 0));
    scorer.serve(model(3), null);
    scorer.offer(batch(11, 0));
    ScoredBatch first = take();
    ScoredBatch second = take();
    assertThat(first.sampleIds()).containsExactly(10);
    assertThat(first.predicted()).containsExactly(1);
    assertThat(first.losses()).containsExactly(4);
    assertThat(second.sampleIds()).containsExactly(11);
    assertThat(second.predicted()).containsExactly(3);
    assertThat(open).hasValue(1);
  }

  private void pass(long seconds) {
    nanos.addAndGet(seconds * 1_000_000_000L);
  }

  /** Waits until another thread has begun a batch, which then waits for the gate. */
  private void awaitWaitingModels(int count) {
    patiently().until(() -> waiting.get() >= count);
  }

  @Test
  void poll_aBatchHangs_comesBackNamedAndAnotherThreadScoresTheNextWithTheModelInService() {
    scorer.serve(model(3), null);
    scorer.offer(batch(1, 0));
    scorer.offer(batch(2, 0));
    awaitWaitingModels(1);
    pass(59);
    assertThat(scorer.poll()).isEmpty();
    ignoreInterrupts.set(true);
    pass(2);
    ScoredBatch hung = take();
    assertThat(hung.sampleIds()).containsExactly(1);
    assertThat(hung.failure()).contains("did not end within 60.0 s").contains("test-scorer");
    awaitWaitingModels(2);
    gate.countDown();
    ScoredBatch next = take();
    assertThat(next.sampleIds()).containsExactly(2);
    assertThat(next.failure()).isEmpty();
    assertThat(next.predicted()).containsExactly(3);
    // The thread that was given up says nothing more, and frees its copy.
    patiently().until(() -> open.get() == 1);
    assertThat(scorer.inFlight()).isZero();
    assertThat(scorer.poll()).isEmpty();
  }

  @Test
  void poll_moreThreadsHangThanMayBeGivenUp_scoringEndsAndSaysSo() {
    ignoreInterrupts.set(true);
    scorer.serve(model(3), null);
    for (int i = 0; i <= Scorer.MOST_GIVEN_UP; i++) {
      assertThat(scorer.offer(batch(i, 0))).isTrue();
      awaitWaitingModels(i + 1);
      pass(61);
      assertThat(take().failure()).contains("did not end");
    }
    assertThat(scorer.offer(batch(99, 0))).isFalse();
    assertThat(scorer.inFlight()).isZero();
  }

  @Test
  void offer_afterAnError_scoresWithAFreshCopy() {
    gate.countDown();
    scorer.serve(model(2), null);
    scorer.offer(batch(1, 77));
    assertThat(take().failure()).contains("StackOverflowError");
    scorer.offer(batch(2, 0));
    assertThat(take().predicted()).containsExactly(2);
    assertThat(open).hasValue(1);
  }

  @Test
  void offer_fullScorer_isRefusedUntilAResultIsTaken() {
    scorer.serve(model(1), null);
    for (int i = 0; i < Scorer.QUEUED_BATCHES; i++) {
      assertThat(scorer.offer(batch(i, 0))).isTrue();
    }
    assertThat(scorer.offer(batch(99, 0))).isFalse();
    assertThat(scorer.inFlight()).isEqualTo(Scorer.QUEUED_BATCHES);
    assertThat(scorer.poll()).isEmpty();
    gate.countDown();
    for (int i = 0; i < Scorer.QUEUED_BATCHES; i++) {
      assertThat(take().sampleIds()).containsExactly(i);
      assertThat(scorer.inFlight()).isEqualTo(Scorer.QUEUED_BATCHES - 1 - i);
    }
    assertThat(scorer.offer(batch(100, 0))).isTrue();
  }

  @Test
  void poll_failingBatch_hasItsReasonAndTheNextIsScored() {
    gate.countDown();
    scorer.serve(model(1), null);
    scorer.offer(batch(1, -7));
    scorer.offer(batch(2, Double.POSITIVE_INFINITY));
    scorer.offer(batch(3, 0));
    ScoredBatch failed = take();
    assertThat(failed.sampleIds()).containsExactly(1);
    assertThat(failed.failure()).contains("negative -7");
    assertThat(failed.predicted()).isEmpty();
    assertThat(take().failure()).contains("no native memory");
    assertThat(take().failure()).isEmpty();
  }

  @Test
  void poll_noModel_batchesFail() {
    scorer.offer(batch(1, 0));
    assertThat(take().failure()).contains("no model");
  }

  @Test
  void poll_modelThatDoesNotLoad_batchesFailUntilOneDoes() {
    gate.countDown();
    scorer.serve(model(1), null);
    scorer.offer(batch(1, 0));
    assertThat(take().failure()).isEmpty();
    scorer.serve(model(0), null);
    scorer.offer(batch(2, 0));
    assertThat(take().failure()).contains("torn file");
    scorer.serve(model(9), null);
    scorer.offer(batch(3, 0));
    assertThat(take().failure()).contains("a.custom.Layer");
    scorer.serve(model(2), null);
    scorer.offer(batch(4, 0));
    assertThat(take().predicted()).containsExactly(2);
    assertThat(open).hasValue(1);
  }

  @Test
  void close_freesTheModelAndRefusesBatches() {
    gate.countDown();
    scorer.serve(model(1), null);
    scorer.offer(batch(1, 0));
    take();
    scorer.close();
    assertThat(open).hasValue(0);
    assertThat(scorer.offer(batch(2, 0))).isFalse();
  }
}
