package io.idlalayer.jobs.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.LearnerOutput;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.modelcontroller.quality.PrequentialSummary;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.CostBasis;
import io.idlalayer.testkit.Records;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.apache.flink.api.common.JobID;
import org.apache.flink.events.Event;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.HistogramStatistics;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.traces.Span;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Metrics of learners in Flink's own groups, on a registry that writes down what it is told. */
final class LearnerMetricsTest {
  private static final LearnerKey FIRST = new LearnerKey("clicks", 0);
  private static final LearnerKey SECOND = new LearnerKey("clicks", 1);

  private final Map<String, Metric> metrics = Collections.synchronizedMap(new TreeMap<>());
  private final List<Span> spans = Collections.synchronizedList(new ArrayList<>());
  private final List<Event> events = Collections.synchronizedList(new ArrayList<>());
  private final List<DecisionEvent> passed = new ArrayList<>();
  private final AtomicLong millis = new AtomicLong(100_000);

  /** What the reporter does when it is told of a metric of learners. */
  private volatile Runnable onAdded = () -> {};

  private final TrainerThread trainer = new TrainerThread("metrics-test", any -> 60, 60);
  private final TaskMetricGroup task =
      TaskManagerMetricGroup.createTaskManagerMetricGroup(
              TestingMetricRegistry.builder()
                  .setRegisterConsumer((metric, name, group) -> add(metric, name, group))
                  .setUnregisterConsumer(
                      (metric, name, group) -> metrics.remove(identifier(name, group), metric))
                  .setSpanConsumer((span, group) -> spans.add(span))
                  .setEventConsumer((event, group) -> events.add(event))
                  .build(),
              "host",
              ResourceID.generate())
          .addJob(new JobID(), "job")
          .addTask(ExecutionAttemptID.randomId(), "task");

  private static final class FakeOutput implements LearnerOutput {
    private final List<DecisionEvent> heard;

    FakeOutput(List<DecisionEvent> heard) {
      this.heard = heard;
    }

    @Override
    public void decision(DecisionEvent event) {
      heard.add(event);
    }

    @Override
    public void refused(DeadLetter letter) {}

    @Override
    public void notice(ModelNotice notice) {}
  }

  @AfterEach
  void close() throws InterruptedException {
    trainer.close();
  }

  private static String identifier(String name, AbstractMetricGroup<?> group) {
    String partition = group.getAllVariables().getOrDefault("<partition>", "-");
    return partition + " " + name;
  }

  private void add(Metric metric, String name, AbstractMetricGroup<?> group) {
    if (group.getLogicalScope(text -> text, '.').contains(SubtaskMetrics.GROUP)) {
      onAdded.run();
      assertThat(metrics.put(identifier(name, group), metric)).as(name + " twice").isNull();
    }
  }

  private SubtaskMetrics subtask(ReportThread reports) {
    return new SubtaskMetrics(
        task.getOrAddOperator("learn"), trainer, reports, () -> Instant.ofEpochMilli(millis.get()));
  }

  private LearnerOutput learner(LearnerKey key, LongUnaryOperator publishedAt) {
    return subtask(ReportThread.calling()).observing(key, new FakeOutput(passed), publishedAt);
  }

  private LearnerOutput learner() {
    return learner(FIRST, version -> -1);
  }

  private DecisionEvent event(DecisionEvent.Type type, Status status, @Nullable UpdateRecord of) {
    return DecisionEvent.of(
        type, new DecisionEvent.Origin("clicks", 0, millis.get()), status, of, "why");
  }

  private static Status status(long received, long version) {
    return ExampleEvents.status(ExampleEvents.received(received), version);
  }

  private Number gauge(String name) {
    return (Number) ((Gauge<?>) metrics.get(name)).getValue();
  }

  private long counter(String name) {
    return ((Counter) metrics.get(name)).getCount();
  }

  @Test
  void values_areThoseOfTheLatestStatus() {
    LearnerOutput learner = learner();
    learner.decision(event(DecisionEvent.Type.STATUS, status(5, 0), null));
    learner.decision(event(DecisionEvent.Type.STATUS, status(9, 0), null));
    assertThat(counter("0 receivedEvents")).isEqualTo(9);
    assertThat(gauge("0 thresholdSampleSeconds")).isEqualTo(1.0);
    assertThat(gauge("0 predictedTrainingSeconds")).isEqualTo(0.4);
    assertThat(gauge("- trainerQueueTasks")).isEqualTo(0);
    assertThat(passed).hasSize(2);
  }

  @Test
  void metrics_withoutAValue_doNotExistBeforeTheyHaveOne() {
    LearnerOutput learner = learner();
    Status nothing = status(1, 0);
    learner.decision(event(DecisionEvent.Type.STATUS, nothing, null));
    assertThat(metrics)
        .doesNotContainKeys("0 accuracy", "0 tableRows", "0 heldModels", "0 modelAgeSeconds");
    Status scored =
        Records.with(
            nothing,
            new PrequentialSummary(
                10,
                0,
                new PrequentialSummary.Classification(0.3, 0.8, 0.9, 0.5, 0.6, 0.7, 0.4, List.of()),
                null));
    learner.decision(event(DecisionEvent.Type.STATUS, scored, null));
    assertThat(gauge("0 accuracy")).isEqualTo(0.8);
    assertThat(gauge("0 noChangeAccuracy")).isEqualTo(0.5);
    assertThat(metrics).doesNotContainKeys("0 meanAbsoluteError", "0 tableRows");
  }

  @Test
  void modelAge_isComputedWhenItIsRead() {
    LearnerOutput learner = learner(FIRST, version -> 40_000);
    learner.decision(event(DecisionEvent.Type.RESTORED, status(1, 3), null));
    assertThat(gauge("0 modelAgeSeconds")).isEqualTo(60.0);
    millis.addAndGet(5_000);
    assertThat(gauge("0 modelAgeSeconds")).isEqualTo(65.0);
    UpdateRecord.Published as = new UpdateRecord.Published(4, millis.get());
    learner.decision(
        event(
            DecisionEvent.Type.PUBLISHED,
            status(1, 4),
            ExampleEvents.published(4, as, millis.get() - 700, 5)));
    millis.addAndGet(1_500);
    assertThat(gauge("0 modelAgeSeconds")).isEqualTo(1.5);
    assertThat(gauge("0 modelVersion")).isEqualTo(4L);
  }

  @Test
  void modelAge_ofAVersionThatCouldNotBeRead_isLookedUpAgainLater() {
    long published = millis.get() - 60_000;
    List<Long> tries = new ArrayList<>();
    LearnerOutput learner =
        learner(
            FIRST,
            version -> {
              tries.add(millis.get());
              return tries.size() == 1 ? -1 : published;
            });
    DecisionEvent.Type type = DecisionEvent.Type.STATUS;
    learner.decision(event(type, status(1, 3), null));
    millis.addAndGet(LearnerSnapshot.LOOK_UP_AGAIN_MILLIS - 1);
    learner.decision(event(type, status(2, 3), null));
    assertThat(tries).as("not at every event").hasSize(1);
    assertThat(gauge("0 modelAgeSeconds")).isEqualTo(Double.NaN);
    millis.addAndGet(1);
    learner.decision(event(type, status(3, 3), null));
    assertThat(gauge("0 modelAgeSeconds")).isEqualTo(70.0);
    millis.addAndGet(LearnerSnapshot.LOOK_UP_AGAIN_MILLIS);
    learner.decision(event(type, status(4, 3), null));
    assertThat(tries).as("it is known").hasSize(2);
  }

  @Test
  void modelAge_ofAVersionThatCannotBeRead_isNotANumber() {
    LearnerOutput learner = learner(FIRST, version -> -1);
    learner.decision(event(DecisionEvent.Type.RESTORED, status(1, 3), null));
    assertThat(gauge("0 modelAgeSeconds")).isEqualTo(Double.NaN);
  }

  @Test
  void update_isCountedTimedAndTraced() {
    LearnerOutput learner = learner();
    UpdateRecord.Published as = new UpdateRecord.Published(1, 100_900);
    UpdateRecord published = ExampleEvents.published(1, as, 100_000, 5);
    UpdateRecord trained =
        UpdateRecord.fired(1, published.firing()).trained(published.requireTraining());
    learner.decision(
        event(DecisionEvent.Type.FIRED, status(5, 0), UpdateRecord.fired(1, published.firing())));
    millis.set(100_600);
    learner.decision(event(DecisionEvent.Type.STAGED, status(5, 0), trained));
    millis.set(100_900);
    learner.decision(event(DecisionEvent.Type.PUBLISHED, status(5, 1), published));
    assertThat(counter("0 updatesFired")).isEqualTo(1);
    assertThat(counter("0 versionsPublished")).isEqualTo(1);
    Histogram training = (Histogram) metrics.get("0 trainingMillis");
    assertThat(training.getCount()).isEqualTo(1);
    assertThat(training.getStatistics().getMean()).isCloseTo(500, within(5.0));
    Histogram publication = (Histogram) metrics.get("0 publicationMillis");
    assertThat(publication.getStatistics().getMean()).isCloseTo(300, within(3.0));
    assertThat(spans).hasSize(1);
    Span span = spans.get(0);
    assertThat(span.getName()).isEqualTo("Update");
    assertThat(span.getStartTsMillis()).isEqualTo(100_000);
    assertThat(span.getEndTsMillis()).isEqualTo(100_900);
    assertThat(span.getAttributes())
        .containsEntry("version", 1L)
        .containsEntry("outcome", "published")
        .containsEntry("application", "clicks")
        .containsEntry("rule", "area");
    assertThat(span.getChildren())
        .extracting(Span::getName, Span::getStartTsMillis, Span::getEndTsMillis)
        .containsExactly(
            tuple("Firing", 100_000L, 100_100L),
            tuple("Training", 100_100L, 100_600L),
            tuple("Publication", 100_600L, 100_900L));
  }

  @Test
  void updates_thatAreNotPublished_areTracedWithTheirOutcome() {
    LearnerOutput learner = learner();
    UpdateRecord published =
        ExampleEvents.published(1, new UpdateRecord.Published(1, 1), 100_000, 5);
    UpdateRecord fired = UpdateRecord.fired(1, published.firing());
    UpdateRecord trained = fired.trained(published.requireTraining());
    millis.set(100_400);
    learner.decision(event(DecisionEvent.Type.ABORTED, status(5, 0), fired));
    learner.decision(event(DecisionEvent.Type.DROPPED, status(5, 0), fired));
    learner.decision(event(DecisionEvent.Type.DROPPED, status(5, 0), null));
    learner.decision(event(DecisionEvent.Type.STAGED, status(5, 0), trained));
    millis.set(100_700);
    learner.decision(event(DecisionEvent.Type.WORSE, status(5, 0), trained));
    learner.decision(event(DecisionEvent.Type.UNCOMPARED, status(5, 0), trained));
    learner.decision(event(DecisionEvent.Type.HELD, status(5, 0), trained));
    learner.decision(event(DecisionEvent.Type.DROPPED, status(5, 0), trained));
    assertThat(spans)
        .extracting(span -> span.getAttributes().get("outcome"), Span::getEndTsMillis)
        .containsExactly(
            tuple("aborted", 100_400L),
            tuple("dropped", 100_400L),
            tuple("held", 100_700L),
            tuple("not published", 100_700L));
    assertThat(spans.get(0).getStartTsMillis()).isEqualTo(100_000);
    assertThat(spans.get(0).getChildren()).isEmpty();
    assertThat(spans.get(0).getAttributes()).doesNotContainKeys("version", "lossAfter");
    assertThat(spans.get(2).getChildren()).hasSize(3);
    assertThat(spans.get(2).getAttributes()).containsKey("lossAfter").doesNotContainKey("version");
  }

  @Test
  void drops_ofTrainingsAndPublications_areCountedApart() {
    LearnerOutput learner = learner();
    UpdateRecord published =
        ExampleEvents.published(1, new UpdateRecord.Published(1, 1), 100_000, 5);
    UpdateRecord fired = UpdateRecord.fired(1, published.firing());
    learner.decision(event(DecisionEvent.Type.DROPPED, status(5, 0), fired));
    learner.decision(
        event(
            DecisionEvent.Type.DROPPED, status(5, 0), fired.trained(published.requireTraining())));
    learner.decision(event(DecisionEvent.Type.DROPPED, status(5, 0), null));
    assertThat(counter("0 updatesDropped")).isEqualTo(1);
    assertThat(counter("0 publicationsFailed")).isEqualTo(1);
  }

  @Test
  void events_tellOfWhatPeopleWantToKnow() {
    LearnerOutput learner = learner();
    Map<DecisionEvent.Type, String> names = new HashMap<>();
    names.put(DecisionEvent.Type.DROPPED, "UpdateDropped");
    names.put(DecisionEvent.Type.ABORTED, "UpdateAborted");
    names.put(DecisionEvent.Type.HELD, "ModelHeld");
    names.put(DecisionEvent.Type.WORSE, "ModelWorse");
    names.put(DecisionEvent.Type.ROLLED_BACK, "ModelRolledBack");
    names.put(DecisionEvent.Type.UNCOMPARED, "ModelUncompared");
    names.put(DecisionEvent.Type.INPUT, "InputProblem");
    names.put(DecisionEvent.Type.RULES, "RulesChanged");
    names.put(DecisionEvent.Type.RESTORED, "LearnerRestored");
    names.put(DecisionEvent.Type.FINISHED, "InputFinished");
    names.forEach(
        (type, name) -> {
          events.clear();
          learner.decision(event(type, status(1, 0), null));
          assertThat(events).as(name).hasSize(1);
          Event event = events.get(0);
          assertThat(event.getName()).isEqualTo(name);
          assertThat(event.getBody()).isEqualTo("why");
          assertThat(event.getAttributes())
              .containsEntry("application", "clicks")
              .containsEntry("partition", 0L);
        });
    events.clear();
    learner.decision(event(DecisionEvent.Type.STATUS, status(1, 0), null));
    assertThat(events).isEmpty();
  }

  private static Status urgent(double urgency) {
    Status normal = status(1, 0);
    Grounds grounds = normal.decision().grounds();
    CostBasis basis = new CostBasis(grounds.basis().costs(), 0.0, urgency);
    return Records.with(normal, new Status.Decision(0, 0, Records.with(grounds, basis)));
  }

  @Test
  void events_ofADrift_areItsBeginningAndItsEnd() {
    LearnerOutput learner = learner();
    for (double urgency : new double[] {1, 2.5, 4, 1, 1}) {
      learner.decision(event(DecisionEvent.Type.STATUS, urgent(urgency), null));
    }
    assertThat(events)
        .extracting(Event::getName, Event::getBody)
        .containsExactly(
            tuple(
                "UrgencyRaised",
                "the model gets worse: a waiting sample now costs 2.50 times as much"),
            tuple("UrgencyNormal", "a waiting sample costs as much as usual again"));
    assertThat(events.get(0).getAttributes()).containsEntry("urgency", 2.5);
  }

  @Test
  void metrics_ofAnEndedSubtask_areGone() {
    SubtaskMetrics subtask = subtask(ReportThread.calling());
    for (LearnerKey key : List.of(FIRST, SECOND)) {
      subtask
          .observing(key, new FakeOutput(passed), version -> -1)
          .decision(event(DecisionEvent.Type.STATUS, status(3, 0), null));
    }
    assertThat(metrics).containsKeys("0 pendingSamples", "1 pendingSamples");
    task.close();
    assertThat(metrics).isEmpty();
  }

  @Test
  void reads_whileALearnerGoesOn_areOfOneStatus() throws Exception {
    SubtaskMetrics subtask = subtask(ReportThread.calling());
    LearnerMetrics learner =
        (LearnerMetrics)
            subtask.observing(FIRST, new FakeOutput(new ArrayList<>()), version -> version * 1_000);
    learner.decision(event(DecisionEvent.Type.STATUS, status(1, 1), null));
    Histogram times = (Histogram) metrics.get("0 trainingMillis");
    CountDownLatch done = new CountDownLatch(1);
    Thread writer =
        new Thread(
            () -> {
              for (long n = 2; done.getCount() > 0; n++) {
                learner.decision(event(DecisionEvent.Type.STATUS, status(n, n), null));
                times.update(7);
              }
            });
    writer.start();
    long torn = 0;
    long before = 0;
    long statuses = 0;
    for (int i = 0; i < 1_000_000 || statuses <= 100; i++) {
      LearnerSnapshot now = java.util.Objects.requireNonNull(learner.latest());
      long version = now.served().version();
      boolean whole =
          now.served().publishedAtMillis() == version * 1_000
              && now.status().samples().received() == version
              && version >= before;
      torn += whole ? 0 : 1;
      statuses += version > before ? 1 : 0;
      before = version;
      if (i % 1_000 == 0) {
        long counted = times.getCount();
        HistogramStatistics statistics = times.getStatistics();
        boolean same = statistics.size() == 0 || statistics.getMean() == 7;
        torn += same && times.getCount() >= counted ? 0 : 1;
      }
    }
    done.countDown();
    writer.join();
    assertThat(torn).isZero();
  }

  @Test
  void reporter_thatHangs_holdsNobodyUp() {
    CountDownLatch forever = new CountDownLatch(1);
    ReportThread reports = ReportThread.named("metrics-test");
    try {
      reports.offer(
          () -> {
            try {
              forever.await();
            } catch (InterruptedException closed) {
              Thread.currentThread().interrupt();
            }
          });
      LearnerOutput learner =
          subtask(reports).observing(FIRST, new FakeOutput(passed), version -> -1);
      int said = 3 * ReportThread.MOST_QUEUED;
      for (int i = 0; i < said; i++) {
        learner.decision(event(DecisionEvent.Type.DROPPED, status(i, 0), null));
      }
      assertThat(passed).hasSize(said);
      assertThat(reports.dropped()).isGreaterThanOrEqualTo(said - ReportThread.MOST_QUEUED);
      forever.countDown();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> events.size() >= ReportThread.MOST_QUEUED - 2);
    } finally {
      reports.close();
    }
  }

  @Test
  void reporter_thatHangsWhenItIsToldOfAMetric_holdsUpNoLearner() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    onAdded =
        () -> {
          told.countDown();
          try {
            goOn.await();
          } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
          }
        };
    ReportThread reports = ReportThread.named("metrics-test");
    try {
      SubtaskMetrics subtask = subtask(reports);
      // From here on the reporter holds the lock of the subtask's group.
      told.await();
      CompletableFuture<Void> learners =
          CompletableFuture.runAsync(
              () -> {
                for (LearnerKey key : List.of(FIRST, SECOND)) {
                  subtask
                      .observing(key, new FakeOutput(passed), version -> -1)
                      .decision(event(DecisionEvent.Type.STATUS, status(3, 0), null));
                }
              });
      learners.get(1, TimeUnit.MINUTES);
      assertThat(goOn.getCount()).isEqualTo(1);
      assertThat(passed).hasSize(2);
      goOn.countDown();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () -> assertThat(metrics).containsKeys("0 pendingSamples", "1 pendingSamples"));
    } finally {
      goOn.countDown();
      reports.close();
    }
  }

  @Test
  void reporter_thatThrows_isCalledAgain() {
    ReportThread reports = ReportThread.calling();
    reports.offer(
        () -> {
          throw new IllegalStateException("broken reporter");
        });
    LearnerOutput learner =
        subtask(reports).observing(FIRST, new FakeOutput(passed), version -> -1);
    learner.decision(event(DecisionEvent.Type.DROPPED, status(1, 0), null));
    assertThat(events).hasSize(1);
  }
}
