package io.idlalayer.jobs.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.storage.StorageCause;
import io.idlalayer.jobs.storage.StorageFault;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class CheckpointToleranceTest {
  private static final Path RUN = Path.of("/w/checkpoints/t/run-000001");
  private static final StorageFault FULL =
      new StorageFault(StorageCause.FULL, RUN.resolve("0f"), "No space left on device");

  private final CheckpointTolerance tolerance = new CheckpointTolerance(Duration.ofMinutes(30), 0);

  private CheckpointTolerance.Verdict judge(
      long seconds, long completed, long failed, @Nullable StorageFault fault) {
    return tolerance.judge(
        new CheckpointCounts(completed, failed, "Asynchronous task checkpoint failed."),
        RUN,
        fault,
        Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void judge_storageFails_saysSoEveryFiveMinutesAndEndsAtTheAge() {
    assertThat(judge(10, 1, 0, null)).isEqualTo(CheckpointTolerance.Verdict.NOTHING);
    assertThat(judge(30, 1, 1, FULL).say())
        .isEqualTo(
            "warning: 1 checkpoint failed in /w/checkpoints/t/run-000001 since the last complete one 20 s ago: /w/checkpoints/t/run-000001/0f cannot be used: no space is left on its device; make room there. Learning goes on without checkpoints, and ends after 30 minutes without one");
    int said = 0;
    for (int seconds = 40; seconds < 1810; seconds += 10) {
      CheckpointTolerance.Verdict verdict = judge(seconds, 1, seconds / 10, FULL);
      assertThat(verdict.end()).as("after %d s", seconds).isNull();
      said += verdict.say() == null ? 0 : 1;
    }
    assertThat(said).isEqualTo(5);
    assertThat(judge(1810, 1, 181, null).end())
        .isEqualTo(
            "no checkpoint was completed in /w/checkpoints/t/run-000001 for 30 minutes: /w/checkpoints/t/run-000001/0f cannot be used: no space is left on its device; make room there, then run the same command again");
  }

  @Test
  void judge_oneCompletes_startsAgainAndSaysSo() {
    judge(10, 1, 0, null);
    assertThat(judge(1000, 1, 9, FULL).say()).isNotNull();
    assertThat(judge(1010, 2, 9, null).say()).isEqualTo("checkpoints are complete again");
    assertThat(judge(2000, 2, 9, null)).isEqualTo(CheckpointTolerance.Verdict.NOTHING);
    assertThat(judge(2500, 2, 10, FULL).end()).as("25 minutes after the last").isNull();
  }

  @Test
  void judge_aFailureWithoutFault_isSaidAfterThreeInFlinksWords() {
    assertThat(judge(10, 0, 1, null).say()).isNull();
    assertThat(judge(20, 0, 2, null).say()).isNull();
    assertThat(judge(30, 0, 3, null).say())
        .contains("3 checkpoints failed in " + RUN, "Asynchronous task checkpoint failed.");
  }

  @Test
  void judge_checkpointsThatNeitherFailNorEnd_areNotJudged() {
    assertThat(judge(7200, 0, 0, null)).isEqualTo(CheckpointTolerance.Verdict.NOTHING);
  }

  @Test
  void judge_aJobManagerThatCountsAnew_isNoFailure() {
    judge(10, 40, 5, null);
    assertThat(judge(3000, 0, 0, null)).isEqualTo(CheckpointTolerance.Verdict.NOTHING);
    assertThat(judge(3010, 0, 1, FULL).end()).isNull();
  }
}
