package io.idlalayer.jobs.learner.update;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.update.Bisection.Failure;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BisectionTest {
  @TempDir Path folder;

  @Property(tries = 200)
  void findsTheCulpritsAndNobodyElse_inSoManyTrainings(
      @ForAll @IntRange(min = 1, max = 2_000) int samples,
      @ForAll @IntRange(min = 0, max = 6) int culprits,
      @ForAll long seed) {
    Random random = new Random(seed);
    Set<Long> sick = new HashSet<>();
    for (int i = 0; i < culprits; i++) {
      sick.add((long) random.nextInt(samples));
    }
    List<Long> waiting = new ArrayList<>();
    for (long i = 0; i < samples; i++) {
      waiting.add(i);
    }
    Set<Long> givenUp = new HashSet<>();
    Bisection step = Bisection.NONE;
    int trainings = 0;
    while (!waiting.isEmpty()) {
      trainings++;
      long[] all = waiting.stream().mapToLong(Long::longValue).toArray();
      List<Long> batch = new ArrayList<>(waiting.subList(0, step.batch(all)));
      long[] contents = batch.stream().mapToLong(Long::longValue).toArray();
      if (batch.stream().noneMatch(sick::contains)) {
        step = step.succeeded(contents);
        waiting.subList(0, contents.length).clear();
        continue;
      }
      Bisection.Step next = step.failed(contents, Failure.FAILED);
      step = next.next();
      if (next.givenUp()) {
        givenUp.addAll(batch);
        waiting.subList(0, 1).clear();
      }
    }
    assertThat(givenUp).isEqualTo(sick);
    assertThat(step.searching()).isFalse();
    double log = Math.log(samples) / Math.log(2) + 1;
    assertThat((double) trainings).isLessThanOrEqualTo(2 + sick.size() * (4 * log + 6));
  }

  @Test
  void firstDeath_triesTheSameBatchAgain_andTheSecondWithoutReplays() {
    long[] batch = {1, 2, 3, 4};
    Bisection once = Bisection.NONE.failed(batch, Failure.DIED).next();
    assertThat(once.searching()).isFalse();
    // Others train in between, because state went back further than the batch.
    Bisection later = once.succeeded(new long[] {7, 8});
    Bisection twice = later.failed(batch, Failure.DIED).next();
    assertThat(twice.searching()).isTrue();
    assertThat(twice.batch(new long[] {1, 2, 3, 4, 5})).isEqualTo(4);
    assertThat(twice.batch(new long[] {9, 10, 1, 2})).isEqualTo(2);
    assertThat(twice.failed(batch, Failure.DIED).next().batch(batch)).isEqualTo(2);
  }

  @Test
  void attemptFile_afterADeath_remembersWhatTrained() throws Exception {
    Path file = folder.resolve("app").resolve("0.bin");
    AttemptFile attempts = new AttemptFile(file);
    assertThat(attempts.read().running()).isFalse();
    ContentHash alone = new ContentHash(5, 6);
    Bisection single = new Bisection(new long[] {5}, 1, false, Bisection.DEATHS_OF_ONE - 1, 0);
    attempts.write(Attempt.NONE.begins(List.of(alone), single), true);

    TrainingAttempts book = new TrainingAttempts(new AttemptFile(file), HashKey.NONE);
    assertThat(book.givenUp()).containsExactly(alone);
    assertThat(book.bisection().searching()).isFalse();
    assertThat(new TrainingAttempts(new AttemptFile(file), HashKey.NONE).givenUp())
        .containsExactly(alone);

    byte[] whole = Files.readAllBytes(file);
    byte[] damaged = whole.clone();
    damaged[whole.length / 2] ^= 1;
    for (byte[] bytes : new byte[][] {{1, 2, 3}, {}, damaged}) {
      Files.write(file, bytes);
      TrainingAttempts unreadable = new TrainingAttempts(new AttemptFile(file), HashKey.NONE);
      assertThat(unreadable.givenUp()).isEmpty();
      assertThat(unreadable.takeProblem()).contains("cannot be read");
    }
  }

  @Test
  void attemptFile_recordOfEqualLength_isWrittenInPlaceAndReadBack() throws Exception {
    Path file = folder.resolve("app").resolve("0.bin");
    AttemptFile attempts = new AttemptFile(file);
    Attempt first = Attempt.NONE.begins(contents(1, 2), Bisection.NONE);
    attempts.write(first, true);
    Object synced = Files.readAttributes(file, BasicFileAttributes.class).fileKey();

    attempts.write(first.ended(), false);
    assertThat(attempts.read().running()).isFalse();
    Attempt second = first.ended().begins(contents(3, 4), Bisection.NONE);
    attempts.write(second, false);
    assertThat(attempts.read().running()).isTrue();
    assertThat(attempts.read().batch()).containsExactly(3, 4);
    assertThat(Files.readAttributes(file, BasicFileAttributes.class).fileKey())
        .as("no other file has taken its place")
        .isEqualTo(synced);

    Attempt longer = second.ended().begins(contents(5, 6, 7), Bisection.NONE);
    attempts.write(longer, false);
    assertThat(attempts.read().batch()).containsExactly(5, 6, 7);
    Files.delete(file);
    attempts.write(longer.ended(), false);
    assertThat(attempts.read().running()).as("a deleted file is made anew").isFalse();
  }

  @Test
  void attemptFile_recordWithSuspects_isReplacedAsAWhole() throws Exception {
    Path file = folder.resolve("app").resolve("0.bin");
    AttemptFile attempts = new AttemptFile(file);
    Attempt searched =
        Attempt.NONE.begins(contents(1, 2), new Bisection(new long[] {1}, 1, false, 0, 0));
    attempts.write(searched, false);
    Path link = Files.createLink(folder.resolve("before"), file);
    attempts.write(searched.ended(), false);
    assertThat(attempts.read().running()).isFalse();
    assertThat(Attempt.restore(Files.readAllBytes(link)).running()).isTrue();
  }

  @Test
  void begins_manyTrainingsAfterTheStart_syncsOnlyWhatIsSuspected() {
    List<Boolean> synced = new ArrayList<>();
    AttemptStore store =
        new AttemptStore() {
          @Override
          public Attempt read() {
            return Attempt.NONE;
          }

          @Override
          public void write(Attempt attempt, boolean durable) {
            if (attempt.running()) {
              synced.add(durable);
            }
          }
        };
    TrainingAttempts attempts = new TrainingAttempts(store, HashKey.NONE);
    TrainingRow row = new TrainingRow(1, 1, Sample.of(new double[] {0}, 0), Float.NaN, true);
    TrainingBatch batch = new TrainingBatch(1, List.of(row));
    for (int i = 0; i < TrainingAttempts.SYNCED; i++) {
      attempts.ended(attempts.begins(batch));
    }
    assertThat(synced).containsOnly(true);
    attempts.ended(attempts.begins(batch));
    assertThat(synced.get(TrainingAttempts.SYNCED)).isFalse();
    attempts.bisection(new Bisection(new long[] {1}, 1, true, 1, 0));
    attempts.ended(attempts.begins(batch));
    assertThat(synced.get(TrainingAttempts.SYNCED + 1)).isTrue();
  }

  private static List<ContentHash> contents(long... high) {
    return Arrays.stream(high).mapToObj(each -> new ContentHash(each, -each)).toList();
  }

  @Test
  void recordThatCannotBeWritten_isTold_andStopsNothing() throws Exception {
    Path blocked = Files.createFile(folder.resolve("blocked"));
    TrainingAttempts book =
        new TrainingAttempts(new AttemptFile(blocked.resolve("0.bin")), HashKey.NONE);
    book.ended(0);
    assertThat(book.takeProblem()).contains("cannot be");
    assertThat(book.takeProblem()).isEmpty();
  }
}
