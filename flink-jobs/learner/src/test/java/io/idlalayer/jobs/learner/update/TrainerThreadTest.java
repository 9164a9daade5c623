package io.idlalayer.jobs.learner.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingFailedException.Kind;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TrainerThreadTest {
  private static final double LIMIT_SECONDS = 10;

  private final AtomicLong nanos = new AtomicLong();
  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger hanging = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final TrainerThread thread =
      new TrainerThread(
          number ->
              Executors.newSingleThreadExecutor(
                  task -> {
                    Thread made = new Thread(task, "trainer-test-" + number);
                    made.setDaemon(true);
                    return made;
                  }),
          learner -> LIMIT_SECONDS,
          LIMIT_SECONDS,
          nanos::get,
          20_000);

  /** Trains at once, or hangs as native code does, until the gate opens. */
  private final class FakeTrainer implements Trainer {
    private final String name;

    FakeTrainer(String name) {
      this.name = name;
    }

    @Override
    public TrainingResult train(TrainingRequest request) {
      if (name.startsWith("error")) {
        throw new OutOfMemoryError("no native memory");
      }
      if (name.startsWith("hang")) {
        hang();
      }
      done.add(name + " " + request.batch().updateNumber());
      return new TrainingResult(
          new ModelArtifact(new TreeMap<>()), List.of(), 0.1, 1, 1, 0.5, null);
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  private void hang() {
    hanging.incrementAndGet();
    for (boolean opened = false; !opened; ) {
      try {
        gate.await();
        opened = true;
      } catch (InterruptedException ignoredAsNativeCodeDoes) {
        opened = false;
      }
    }
  }

  private Future<TrainingResult> train(String learner, long update) {
    TrainingRow row = new TrainingRow(1, 1, Sample.of(new double[] {0}, 0), Float.NaN, true);
    return thread.train(
        learner,
        () -> new FakeTrainer(learner),
        new TrainingRequest(null, new TrainingBatch(update, List.of(row)), 1));
  }

  private static ConditionFactory patiently() {
    return Awaitility.await().pollInterval(Duration.ofMillis(1)).atMost(Duration.ofMinutes(2));
  }

  private void awaitHanging(int count) {
    patiently().until(() -> hanging.get() >= count);
  }

  private void pass(double seconds) {
    nanos.addAndGet((long) (seconds * 1e9));
  }

  @AfterEach
  void close() throws InterruptedException {
    gate.countDown();
    thread.close();
  }

  @Test
  void train_oneLearnerHangs_failsNamedAndTheOthersGoOnInOrder() throws Exception {
    Future<TrainingResult> idle = train("c", 1);
    idle.get();
    Future<TrainingResult> hung = train("hang-a", 7);
    Future<String> publication = thread.run(() -> publish("b"));
    Future<TrainingResult> other = train("b", 2);
    awaitHanging(1);
    pass(LIMIT_SECONDS - 1);
    assertThat(hung.isDone()).isFalse();
    pass(2);
    // Any learner that asks notices it; the other may train at once then.
    boolean unused = other.isDone();
    assertThat(hung.isDone()).isTrue();
    assertThatThrownBy(hung::get)
        .hasCauseInstanceOf(TrainingFailedException.class)
        .cause()
        .hasMessageContaining("update 7 of hang-a")
        .hasMessageContaining("within 10.0 s")
        .hasMessageContaining("trainer-test-1")
        .hasMessageContaining("training.time-limit")
        .satisfies(failed -> assertThat(((TrainingFailedException) failed).ofThisBatch()).isTrue())
        .satisfies(
            failed -> assertThat(((TrainingFailedException) failed).kind()).isEqualTo(Kind.HUNG))
        .satisfies(
            failed ->
                assertThat(failed.getCause().getStackTrace())
                    .as("where it hangs")
                    .anyMatch(frame -> frame.getMethodName().equals("hang")));
    other.get();
    assertThat(publication.isDone()).isTrue();
    assertThat(done).containsExactly("c 1", "published b", "b 2");
    // The trainers of idle learners were freed; the one in use is freed at the end.
    assertThat(closed).hasValue(1);
    gate.countDown();
    patiently().until(() -> closed.get() == 2);
    train("hang-a", 8).get();
  }

  private String publish(String learner) {
    done.add("published " + learner);
    return learner;
  }

  @Test
  void run_aPublicationHangs_failsNamedAndTheNextTrainingGoesOn() throws Exception {
    Future<String> hung =
        thread.run(
            () -> {
              hang();
              return "";
            });
    awaitHanging(1);
    pass(LIMIT_SECONDS + 1);
    Future<TrainingResult> next = train("a", 1);
    assertThat(next.get().steps()).isEqualTo(1);
    assertThatThrownBy(hung::get)
        .hasCauseInstanceOf(TimeoutException.class)
        .hasMessageContaining("a publication did not end within 10.0 s");
  }

  @Test
  void train_throwsAnError_failsThisBatchAndTheThreadGoesOn() throws Exception {
    Throwable failed = catchThrowable(() -> train("error", 3).get());
    assertThat(failed).isInstanceOf(ExecutionException.class);
    assertThat(failed.getCause())
        .isInstanceOfSatisfying(
            TrainingFailedException.class, cause -> assertThat(cause.ofThisBatch()).isTrue())
        .hasMessageContaining("update 3 of error")
        .hasMessageContaining("no native memory");
    assertThat(train("a", 1).get().steps()).isEqualTo(1);
  }

  @Test
  void isDone_moreThreadsHangThanMayBeGivenUp_failsInWords() {
    for (int i = 0; i < TrainerThread.MOST_GIVEN_UP; i++) {
      Future<TrainingResult> hung = train("hang-" + i, 1);
      awaitHanging(i + 1);
      pass(LIMIT_SECONDS + 1);
      assertThat(hung.isDone()).isTrue();
    }
    Future<TrainingResult> last = train("hang-last", 1);
    awaitHanging(TrainerThread.MOST_GIVEN_UP + 1);
    pass(LIMIT_SECONDS + 1);
    assertThatThrownBy(last::isDone)
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("3 threads")
        .hasMessageContaining("hang-last");
    pass(-LIMIT_SECONDS - 1);
  }

  @Test
  void cancel_aTrainingThatHangsOn_isGivenUpForTheNextOne() throws Exception {
    Future<TrainingResult> aborted = train("hang-a", 1);
    awaitHanging(1);
    aborted.cancel(true);
    Future<TrainingResult> next = train("b", 1);
    pass(LIMIT_SECONDS + 1);
    next.get();
    assertThat(done).containsExactly("b 1");
    assertThat(aborted).isCancelled();
  }

  @Test
  void get_withATimeout_noticesWorkThatHangs() {
    Future<TrainingResult> hung = train("hang-a", 1);
    awaitHanging(1);
    assertThatThrownBy(() -> hung.get(1, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    pass(LIMIT_SECONDS + 1);
    assertThatThrownBy(() -> hung.get(1, TimeUnit.HOURS)).isInstanceOf(ExecutionException.class);
  }

  @Test
  void close_aTrainingDoesNotStop_doesNotThrowAndItsThreadFreesTheTrainer() throws Exception {
    TrainerThread closing =
        new TrainerThread(
            number -> Executors.newSingleThreadExecutor(), learner -> 1e9, 1e9, nanos::get, 50);
    TrainingRow row = new TrainingRow(1, 1, Sample.of(new double[] {0}, 0), Float.NaN, true);
    TrainingRequest request = new TrainingRequest(null, new TrainingBatch(1, List.of(row)), 1);
    closing.train("idle", () -> new FakeTrainer("idle"), request).get();
    Future<TrainingResult> hung = closing.train("hang", () -> new FakeTrainer("hang"), request);
    awaitHanging(1);
    closing.close();
    assertThat(hung.isDone()).isFalse();
    assertThat(closed).hasValue(1);
    gate.countDown();
    patiently().until(() -> closed.get() == 2);
  }

  @Test
  void load_whileOneHangs_tellsWhatRunsAndWhatWaits() throws Exception {
    assertThat(thread.load()).isEqualTo(new TrainerThread.Load(0, 0, 0, 0));
    Future<TrainingResult> hung = train("hang-a", 1);
    awaitHanging(1);
    Future<TrainingResult> other = train("b", 2);
    pass(3);
    assertThat(thread.load()).isEqualTo(new TrainerThread.Load(2, 3, LIMIT_SECONDS, 0));
    pass(LIMIT_SECONDS);
    assertThat(hung.isDone()).isTrue();
    other.get();
    patiently().until(() -> thread.load().tasks() == 0);
    assertThat(thread.load().hungThreads()).isEqualTo(1);
    gate.countDown();
    patiently().until(() -> thread.load().equals(new TrainerThread.Load(0, 0, 0, 0)));
  }
}
