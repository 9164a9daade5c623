package io.idlalayer.jobs.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.ProcessorUse;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ProcessorTimeTest {
  private static final long SECOND = 1_000_000_000L;

  /** Processor time of the only thread. */
  private long threadNanos;

  private long sendingNanos;
  private long writingNanos;
  private long nowNanos;

  private final ProcessorTimes process =
      new ProcessorTimes(
          () -> threadNanos,
          () -> sendingNanos,
          () -> writingNanos,
          () -> new ProcessorUse.OfProcess(50, 20),
          () -> nowNanos);

  private final ProcessorTime learner = process.open("clicks/0");

  private void work(long seconds) {
    threadNanos += seconds * SECOND;
  }

  private static DecisionEvent event(String application, DecisionEvent.Type type) {
    return DecisionEvent.of(
        type,
        new DecisionEvent.Origin(application, 0, 0),
        ExampleEvents.status(ExampleEvents.received(1), 1),
        null,
        "");
  }

  @Test
  void count_partInsideAnother_countsEachForItself() {
    work(100);
    learner.count(
        ProcessorPart.ACCEPTING,
        () -> {
          work(1);
          learner.count(
              ProcessorPart.DECIDING,
              () -> {
                work(2);
                learner.count(ProcessorPart.REPORTING, () -> work(4));
                work(8);
              });
          work(16);
        });
    work(100);

    ProcessorUse.Caused caused = learner.use().caused();
    assertThat(caused).isEqualTo(new ProcessorUse.Caused(10, 0, 17, 4, 0, 0, 0, 0));
    assertThat(caused.sumSeconds()).isEqualTo(31);
  }

  @Test
  void count_workThrows_isCountedAndTheOuterPartGoesOn() {
    learner.count(
        ProcessorPart.ACCEPTING,
        () -> {
          assertThatThrownBy(
                  () ->
                      learner.count(
                          ProcessorPart.REPORTING,
                          () -> {
                            work(3);
                            throw new IllegalStateException("full");
                          }))
              .hasMessage("full");
          work(2);
        });

    assertThat(learner.use().caused()).isEqualTo(new ProcessorUse.Caused(0, 0, 2, 3, 0, 0, 0, 0));
  }

  @Test
  void updateEnded_withinAPart_returnsWhatCameSinceTheLastOne() {
    try (ProcessorTime.Counted counted = learner.begin(ProcessorPart.TRAINING)) {
      work(5);
    }
    double[] seconds = new double[2];
    learner.count(
        ProcessorPart.ACCEPTING,
        () -> {
          work(2);
          seconds[0] = learner.updateEnded();
          work(1);
        });
    learner.count(ProcessorPart.STATUSES, () -> work(64));
    try (ProcessorTime.Counted counted = learner.begin(ProcessorPart.PUBLISHING)) {
      work(8);
    }
    learner.count(ProcessorPart.ACCEPTING, () -> seconds[1] = learner.updateEnded());

    assertThat(seconds).containsExactly(7, 9);
    ProcessorUse use = learner.use();
    assertThat(use.updates()).isEqualTo(2);
    assertThat(use.recentUpdateSeconds()).isEqualTo(8);
    assertThat(use.statusSeconds()).isEqualTo(64);
    assertThat(use.process()).isEqualTo(new ProcessorUse.OfProcess(50, 20));
  }

  @Test
  void use_afterASecond_dividesTheSendingThreadsByEvents() {
    ProcessorTime other = process.open("prices/0");
    learner.sent(ProcessorPart.REPORTING);
    learner.sent(ProcessorPart.STATUSES);
    other.sent(ProcessorPart.REPORTING);
    other.sent(ProcessorPart.REPORTING);
    sendingNanos = 4 * SECOND;
    nowNanos = SECOND - 1;
    assertThat(learner.use().caused().sendingSeconds()).as("too early").isZero();

    nowNanos = SECOND;

    assertThat(learner.use().caused().sendingSeconds()).isEqualTo(1);
    assertThat(learner.use().statusSeconds()).isEqualTo(1);
    assertThat(other.use().caused().sendingSeconds()).isEqualTo(2);
  }

  @Test
  void use_afterASecond_dividesTheWritingThreadsByVersions() {
    ProcessorTime other = process.open("prices/0");
    learner.publicationEnded();
    other.publicationEnded();
    other.publicationEnded();
    writingNanos = 3 * SECOND;
    nowNanos = SECOND;

    assertThat(learner.use().caused().publishingSeconds()).isEqualTo(1);
    assertThat(other.use().caused().publishingSeconds()).isEqualTo(2);
    writingNanos = 9 * SECOND;
    nowNanos = 2 * SECOND;
    assertThat(other.use().caused().publishingSeconds()).as("nothing published").isEqualTo(2);
  }

  @Test
  void publicationSeconds_severalPublications_isTheMeanWithTheirCleanUps() {
    assertThat(learner.publicationSeconds()).as("before the first").isZero();
    try (ProcessorTime.Counted counted = learner.begin(ProcessorPart.PUBLISHING)) {
      work(3);
    }
    learner.publicationEnded();
    try (ProcessorTime.Counted counted = learner.begin(ProcessorPart.CLEANING_UP)) {
      work(2);
    }
    try (ProcessorTime.Counted counted = learner.begin(ProcessorPart.TRAINING)) {
      work(64);
    }
    try (ProcessorTime.Counted counted = learner.begin(ProcessorPart.PUBLISHING)) {
      work(5);
    }
    learner.publicationEnded();

    assertThat(learner.publicationSeconds()).isEqualTo(5);
  }

  @Test
  void followed_eventsOfSeveralLearners_countsThoseOfThisProcess() {
    process.open("closed/0");
    process.close("closed/0");

    process.followed(
        List.of(
            event("clicks", DecisionEvent.Type.STAGED),
            event("clicks", DecisionEvent.Type.STATUS),
            event("closed", DecisionEvent.Type.STAGED),
            event("elsewhere", DecisionEvent.Type.STAGED)),
        8 * SECOND);

    assertThat(learner.use().caused().followingSeconds()).isEqualTo(2);
    assertThat(learner.use().statusSeconds()).isEqualTo(2);
  }

  @Test
  void process_aThreadThatWorks_isMeasured() {
    ProcessorTime measured = ProcessorTimes.process().open("ProcessorTimeTest/0");
    try {
      long[] begin = {ProcessorTimes.process().threadNanos()};
      measured.count(
          ProcessorPart.DECIDING,
          () -> {
            while (ProcessorTimes.process().threadNanos() - begin[0] < SECOND / 50) {
              Thread.onSpinWait();
            }
          });
      assertThat(measured.use().caused().decidingSeconds()).isCloseTo(0.02, within(0.018));
      assertThat(measured.use().process().seconds()).isGreaterThanOrEqualTo(0.02);
    } finally {
      ProcessorTimes.process().close("ProcessorTimeTest/0");
    }
  }
}
