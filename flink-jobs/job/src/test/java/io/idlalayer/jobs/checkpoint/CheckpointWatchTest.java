package io.idlalayer.jobs.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.recovery.Durable;
import io.idlalayer.jobs.recovery.FakeCheckpoint;
import io.idlalayer.jobs.recovery.RecoveryPoints;
import io.idlalayer.jobs.recovery.RunFolder;
import io.idlalayer.jobs.recovery.WorkIdentity;
import io.idlalayer.jobs.storage.FolderProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watch over real folders of checkpoints; no engine runs. */
final class CheckpointWatchTest {
  private static final Set<String> DEMO = Set.of("demo");

  @TempDir Path folder;
  private final AtomicLong nanos = new AtomicLong();
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final FakeJob job = new FakeJob();
  private WorkIdentity work;
  private RecoveryPoints points;
  private RunFolder run;
  private CheckpointWatch watch;

  private final class FakeJob implements WatchedJob {
    private CheckpointCounts counts = new CheckpointCounts(0, 0, null);
    private int taken;
    private boolean refuses;
    private @Nullable Path other;

    @Override
    public CheckpointCounts counts() {
      return counts;
    }

    @Override
    public RunFolder run() throws IOException {
      return points.newestRun(DEMO).orElseThrow(() -> new IOException("no run"));
    }

    @Override
    public List<Path> others() {
      return other == null ? List.of() : List.of(other);
    }

    @Override
    public void takeWhole() throws IOException {
      if (refuses) {
        throw new IOException("the job restarts");
      }
      taken++;
    }
  }

  @BeforeEach
  void open() throws IOException {
    work = WorkIdentity.open(Files.createDirectories(folder.resolve("work")));
    points = new RecoveryPoints(work);
    run = points.create(DEMO, null, null, Collections.emptySortedMap());
    watch =
        new CheckpointWatch(
            job,
            points,
            Duration.ofMinutes(1),
            new FolderProbe()::look,
            nanos::get,
            tasks::add,
            tasks::clear);
  }

  /** Returns the news of the next look. */
  private List<String> next() throws IOException {
    nanos.addAndGet(CheckpointWatch.PAUSE.toNanos());
    assertThat(watch.news()).isEmpty();
    Objects.requireNonNull(tasks.poll()).run();
    return watch.news();
  }

  private void completed(long id) throws IOException {
    FakeCheckpoint.write(work, run.folder(), id, 10 * id);
    job.counts = new CheckpointCounts(id, 0, null);
  }

  @Test
  void news_checkpointsComplete_isSilent() throws Exception {
    assertThat(watch.news()).isEmpty();
    assertThat(tasks).as("before it is time").isEmpty();
    completed(1);
    assertThat(next()).isEmpty();
    completed(2);
    assertThat(next()).isEmpty();
    assertThat(job.taken).isZero();
  }

  @Test
  void news_theRunsFoldersWereRemoved_marksThemAgainAndTakesAWholeCheckpoint() throws Exception {
    completed(1);
    assertThat(next()).isEmpty();
    Durable.delete(work.directory().resolve("checkpoints"));
    completed(2);
    assertThat(next())
        .containsExactly(
            "warning: %s was removed while the job runs; it is marked as this run's folder again; a whole checkpoint is being taken"
                .formatted(run.folder()));
    assertThat(job.taken).isOne();
    completed(3);
    assertThat(next()).isEmpty();
    RecoveryPoints.Search found = points.search(DEMO);
    assertThat(Objects.requireNonNull(found.point()).checkpointId()).isEqualTo(3);
    assertThat(found.point().run()).isEqualTo(run);
  }

  @Test
  void news_filesOfTheLastCheckpointAreMissing_takesAWholeOneUntilItIsThere() throws Exception {
    completed(1);
    assertThat(next()).isEmpty();
    completed(2);
    Path shared = run.folder().resolve("0123456789abcdef0123456789abcdef/shared");
    Files.delete(shared.resolve("sst-2"));
    job.refuses = true;
    assertThat(next())
        .singleElement()
        .asString()
        .contains("files of the last checkpoint were removed: ", "sst-2 is missing", "Ctrl-C");
    job.refuses = false;
    completed(3);
    Files.delete(shared.resolve("sst-3"));
    assertThat(next()).singleElement().asString().endsWith("a whole checkpoint is being taken");
    assertThat(job.taken).isOne();
    completed(4);
    assertThat(next()).isEmpty();
    assertThat(job.taken).isOne();
  }

  @Test
  void news_aFolderOfTheStateIsGone_isNamedAndTheRunEndsAtTheAge() throws Exception {
    completed(1);
    assertThat(next()).isEmpty();
    job.other = folder.resolve("state");
    job.counts = new CheckpointCounts(1, 1, "Asynchronous task checkpoint failed.");
    assertThat(next())
        .singleElement()
        .asString()
        .contains(folder.resolve("state") + " cannot be used: it is not there");
    for (int i = 2; i < 6; i++) {
      job.counts = new CheckpointCounts(1, i, "Asynchronous task checkpoint failed.");
      next();
    }
    assertThatThrownBy(this::next)
        .isInstanceOf(CheckpointsFailedException.class)
        .hasMessageStartingWith("no checkpoint was completed in " + run.folder() + " for 60 s: ")
        .hasMessageContaining(folder.resolve("state").toString());
  }
}
