package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.capacity.TaskMemory;
import io.idlalayer.jobs.recovery.FakeCheckpoint;
import io.idlalayer.jobs.recovery.WorkIdentity;
import io.idlalayer.jobs.report.SavedState;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a job whose savepoint fails or does not come. */
final class JobStopTest {
  private static final Duration SOON = Duration.ofMillis(1);

  @TempDir Path folder;
  private final List<String> said = new ArrayList<>();

  /** A job whose savepoint is in the test's hand. */
  private static final class FakeJob extends FakeJobClient {
    final CompletableFuture<String> savepoint = new CompletableFuture<>();
    int restarts;
    boolean cancelled;

    @Override
    public CompletableFuture<Void> cancel() {
      cancelled = true;
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<String> stopWithSavepoint(
        boolean drain, String directory, SavepointFormatType format) {
      if (restarts > 0) {
        restarts--;
        return CompletableFuture.failedFuture(
            new CheckpointException(CheckpointFailureReason.NOT_ALL_REQUIRED_TASKS_RUNNING));
      }
      return savepoint;
    }
  }

  private JobStart start() throws Exception {
    ApplicationSettings demo =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            "name: demo\ninput: {features: [a], label: y, classes: 2}\n");
    return JobStart.prepare(
        new JobStart.Request(
            List.of(demo),
            "none:1",
            WorkIdentity.open(folder),
            JobStart.Place.EMBEDDED,
            TaskMemory.ofThisProcess(),
            StartOver.NO),
        text -> {});
  }

  private SavedState.@Nullable Savepoint stop(JobStart start, FakeJob job) throws Exception {
    return new JobStop(start, said::add).stop(job, SOON);
  }

  @Test
  void limit_growsWithTheState() {
    assertThat(JobStop.limit(0)).isEqualTo(Duration.ofMinutes(3));
    assertThat(JobStop.limit(10L << 30)).isEqualTo(Duration.ofSeconds(180 + 1024));
    assertThat(JobStop.limit(Long.MAX_VALUE)).isEqualTo(Duration.ofHours(1));
  }

  @Test
  void stop_savepointInTime_saysNothingAndCancelsNothing() throws Exception {
    FakeJob job = new FakeJob();
    job.savepoint.complete("idla://somewhere");
    try (JobStart start = start()) {
      Path taken = FakeCheckpoint.write(WorkIdentity.open(folder), start.runFolder(), 3, 100);
      SavedState.Savepoint saved = stop(start, job);
      assertThat(saved).isNotNull();
      assertThat(saved.seconds()).isNotNegative();
      assertThat(saved.bytes())
          .as("metadata and every file that it names")
          .isGreaterThan(Files.size(taken.resolve("_metadata")));
    }
    assertThat(said).isEmpty();
    assertThat(job.cancelled).isFalse();
  }

  @Test
  void stop_whileTheJobRestarts_savesOnceItRuns() throws Exception {
    FakeJob job = new FakeJob();
    job.restarts = 3;
    job.savepoint.complete("idla://somewhere");
    int[] seconds = new int[1];
    try (JobStart start = start()) {
      new JobStop(start, said::add, () -> seconds[0]++).stop(job, SOON);
    }
    assertThat(seconds[0]).isEqualTo(3);
    assertThat(said).singleElement().asString().contains("the job is restarting");
    assertThat(job.cancelled).isFalse();
  }

  @Test
  void stop_ofAJobThatNeverRunsAgain_givesUp() throws Exception {
    FakeJob job = new FakeJob();
    job.restarts = Integer.MAX_VALUE;
    int[] seconds = new int[1];
    try (JobStart start = start()) {
      JobStop stop = new JobStop(start, said::add, () -> seconds[0]++);
      assertThatThrownBy(() -> stop.stop(job, SOON))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no savepoint could be taken");
    }
    assertThat(seconds[0]).isEqualTo(JobStop.RESTART_SECONDS);
    assertThat(job.cancelled).isTrue();
  }

  @Test
  void stop_savepointTooLate_cancelsAndNamesTheLastCheckpoint() throws Exception {
    FakeJob job = new FakeJob();
    try (JobStart start = start()) {
      WorkIdentity work = WorkIdentity.open(folder);
      FakeCheckpoint.write(work, start.runFolder(), 1, 100);
      Path last = FakeCheckpoint.write(work, start.runFolder(), 2, 200);
      assertThat(stop(start, job)).as("a savepoint").isNull();
      assertThat(job.cancelled).as("it would write on into the work directory").isTrue();
      assertThat(said)
          .singleElement()
          .satisfies(
              text ->
                  assertThat(text)
                      .startsWith("warning: no savepoint within 0 s")
                      .contains("the next start goes on from " + start.relative(last)));
    }
    try (JobStart next = start()) {
      assertThat(next.from()).isNotNull();
      assertThat(next.from().checkpointId()).isEqualTo(2);
    }
  }

  @Test
  void stop_savepointFails_namesTheReasonAndTheLastCheckpoint() throws Exception {
    FakeJob job = new FakeJob();
    job.savepoint.completeExceptionally(new IOException("no space left on device"));
    try (JobStart start = start()) {
      FakeCheckpoint.write(WorkIdentity.open(folder), start.runFolder(), 7, 100);
      stop(start, job);
    }
    assertThat(said)
        .singleElement()
        .satisfies(text -> assertThat(text).contains("no space left on device").contains("chk-7"));
  }

  @Test
  void stop_neitherSavepointNorCheckpoint_failsWithWords() throws Exception {
    FakeJob job = new FakeJob();
    try (JobStart start = start()) {
      assertThatThrownBy(() -> stop(start, job))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("no savepoint could be taken (the job did not answer")
          .hasMessageContaining("there is no checkpoint of this run");
    }
    assertThat(job.cancelled).isTrue();
  }
}
