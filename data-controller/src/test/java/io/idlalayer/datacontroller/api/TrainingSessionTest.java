package io.idlalayer.datacontroller.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.datacontroller.intake.ArrivalOutcome;
import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.TestSettings;
import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * No mark of a training outlives its session. A sample that is marked cannot be evicted; so marks
 * are seen by filling the store: it takes as many new samples as were trained before.
 */
final class TrainingSessionTest {
  private static final int TRAINED = 6;
  private static final int MAX_SAMPLES = 8;

  private final SampleCodec codec = new SampleCodec();
  private final DataController controller =
      new DataController(
          TestSettings.of(new DataSettings.Ratios(1, 1, 1), 100, MAX_SAMPLES, 1 << 20, 5),
          new InMemorySampleStore(),
          1);
  private int contents;
  private long[] trained = {};

  private long arrive(String id, float label) {
    Sample sample = new Sample(id, new double[] {++contents}, new int[0], label);
    ArrivalOutcome outcome =
        controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), contents);
    return outcome.sampleId();
  }

  private TrainingSession begin(long update) {
    return controller.begin(controller.select(update, controller.waiting().size()));
  }

  private static List<Contribution> contributions(TrainingSession session) {
    return Arrays.stream(session.selection().trainedIds())
        .mapToObj(id -> new Contribution(id, 1, 1 - id / 10f))
        .toList();
  }

  @BeforeEach
  void sixTrainedSamplesAndOneThatWaits() {
    for (int i = 0; i < TRAINED; i++) {
      arrive("t" + i, 0);
    }
    TrainingSession first = begin(1);
    trained = first.selection().trainedIds();
    first.accept(contributions(first), 1);
    arrive("new", 0);
  }

  /** All samples but those that wait can be evicted. */
  private void assertNoMarks() {
    int waiting = controller.waiting().size();
    for (int i = waiting; i < MAX_SAMPLES; i++) {
      assertThat(controller.full(10)).as("with %d samples that wait", i).isFalse();
      arrive("", 0);
    }
    assertThat(controller.full(10)).isTrue();
    assertThat(controller.usage().stages().newborn()).isEqualTo(MAX_SAMPLES);
  }

  @Test
  void begin_marksEverySampleOfTheSelection() {
    TrainingSession session = begin(2);
    assertThat(session.selection().replayedIds()).hasSize(TRAINED);
    arrive("", 0);
    assertThat(controller.full(10)).as("seven train and one waits").isTrue();
  }

  @Test
  void accept_clearsTheMarks() {
    TrainingSession session = begin(2);
    session.accept(contributions(session), 1);
    assertNoMarks();
  }

  @Test
  void abandon_clearsTheMarksAndTheNewSamplesWaitAgain() {
    assertThat(begin(2).abandon()).isEqualTo(1);
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertNoMarks();
  }

  @Test
  void quarantine_clearsTheMarks() {
    assertThat(begin(2).quarantine()).isEqualTo(1);
    assertThat(controller.waiting().size()).isZero();
    assertNoMarks();
  }

  @Test
  void quarantine_aSampleThatWasNeverTrained_isNotReplayedEither() {
    TrainingSession failed = begin(2);
    long[] given = failed.selection().newIds();
    failed.quarantine();
    arrive("other", 0);
    for (int update = 3; update < 20; update++) {
      assertThat(controller.select(update, 1).replayedIds()).isNotEmpty().doesNotContain(given);
    }
  }

  @Test
  void close_ofATrainingThatFailed_abandonsIt() {
    assertThatThrownBy(
            () -> {
              try (TrainingSession session = begin(2)) {
                session.load(
                    payload -> {
                      throw new IllegalStateException("the trainer failed");
                    });
              }
            })
        .hasMessage("the trainer failed");
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertNoMarks();
  }

  @Test
  void begin_whileAForgottenSessionIsOpen_abandonsThatOne() {
    TrainingSession forgotten = begin(2);
    long other = arrive("", 0);
    TrainingSession next = controller.begin(new Selection(3, new long[] {other}, new long[0]));
    assertThat(forgotten.open()).isFalse();
    assertThat(controller.waiting().size()).isEqualTo(1);
    next.quarantine();
    assertNoMarks();
  }

  @Test
  void giveUp_trainedSamples_areDiscardAndDoNotTrainAgain() {
    long[] given = Arrays.copyOf(trained, TRAINED + 1);
    given[TRAINED] = 1_000;
    assertThat(controller.giveUp(given)).as("one is not stored").isEqualTo(TRAINED);
    assertThat(controller.usage().stages().discard()).isEqualTo(TRAINED);
    Selection next = controller.select(2, controller.waiting().size());
    assertThat(next.newIds()).hasSize(1);
    assertThat(next.replayedIds()).isEmpty();
    // One that comes again with another value is Newborn and waits; it stays so.
    Sample sample = new Sample("t0", new double[] {-1}, new int[0], 0);
    ArrivalOutcome again =
        controller.arrive(sample, ContentHasher.of(sample), codec.encode(sample), ++contents);
    assertThat(again.sampleId()).isEqualTo(trained[0]);
    assertThat(controller.giveUp(trained)).isEqualTo(TRAINED - 1);
    assertThat(controller.waiting().size()).isEqualTo(2);
    assertThat(controller.select(2, controller.waiting().size()).newIds()).contains(trained[0]);
  }

  @Test
  void giveUp_aSampleThatWaits_waitsOn() {
    long[] waiting = controller.select(2, controller.waiting().size()).newIds();
    assertThat(controller.giveUp(waiting)).isZero();
    assertThat(controller.waiting().size()).isEqualTo(1);
  }

  @Test
  void begin_withASampleThatIsNotStored_marksNone() {
    Selection chosen = controller.select(2, 1);
    long[] replayed = Arrays.copyOf(chosen.replayedIds(), TRAINED + 1);
    replayed[TRAINED] = 999;
    assertThatThrownBy(() -> controller.begin(new Selection(2, chosen.newIds(), replayed)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("999");
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertNoMarks();
  }

  @Test
  void accept_contributionsOfOtherSamples_leavesTheSessionOpen() {
    TrainingSession session = begin(2);
    assertThatThrownBy(() -> session.accept(List.of(), 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(session.open()).isTrue();
    session.close();
    assertNoMarks();
  }

  @Test
  void accept_afterLabelsWereTakenBackAndGivenAgain_clearsTheMarksOfAll() {
    TrainingSession session = begin(2);
    controller.retract("t1", 1);
    controller.retract("t2", 1);
    controller.retract("new", 1);
    arrive("t2", 1);
    session.accept(contributions(session), 1);
    assertThat(controller.waiting().size()).isEqualTo(1);
    assertNoMarks();
  }

  @Test
  void anEndedSession_refusesEverything() {
    TrainingSession session = begin(2);
    session.abandon();
    assertThatThrownBy(session::abandon).hasMessageContaining("update 2 has ended");
    assertThatThrownBy(session::quarantine).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> session.accept(contributions(session), 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> session.load(codec::decode)).isInstanceOf(IllegalStateException.class);
    session.close();
    assertThat(controller.waiting().size()).isEqualTo(1);
  }
}
