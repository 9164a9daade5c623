package io.idlalayer.jobs.learner.forget;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.api.PastTraining;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The log against a plain list of the updates. */
final class TrainingLogPropertyTest {
  private static final int UPDATES = 60;

  private static LoggedUpdate update(long number, Random random, long highestId) {
    TreeSet<Long> ids = new TreeSet<>();
    int rows = 1 + random.nextInt(30);
    for (int i = 0; i < rows; i++) {
      ids.add(1 + (long) (random.nextDouble() * highestId));
    }
    long[] sorted = ids.stream().mapToLong(Long::longValue).toArray();
    boolean[] fresh = new boolean[sorted.length];
    int count = 0;
    for (int i = 0; i < fresh.length; i++) {
      fresh[i] = random.nextBoolean();
      count += fresh[i] ? 1 : 0;
    }
    return new LoggedUpdate(
        number,
        new PastTraining(sorted, random.ints(sorted.length).toArray(), fresh),
        random.longs(count, 0, 40).toArray());
  }

  private static void assertSame(LoggedUpdate now, LoggedUpdate expected) {
    assertThat(now.number()).isEqualTo(expected.number());
    assertThat(now.rows().ids()).isEqualTo(expected.rows().ids());
    assertThat(now.rows().contents()).isEqualTo(expected.rows().contents());
    assertThat(now.rows().fresh()).isEqualTo(expected.rows().fresh());
    assertThat(now.eventHashes()).isEqualTo(expected.eventHashes());
  }

  @Property(tries = 200)
  void log_anyUpdates_isBoundedAndKnowsTheNewestOnes(
      @ForAll long seed, @ForAll @IntRange(min = 100, max = 20_000) int mostBytes) {
    Random random = new Random(seed);
    TrainingLog log = new TrainingLog(mostBytes);
    List<LoggedUpdate> all = new ArrayList<>();
    long highest = random.nextBoolean() ? 100 : 1L << 40;
    for (long number = 1; number <= UPDATES; number++) {
      LoggedUpdate next = update(number, random, highest);
      all.add(next);
      log.add(next);
      if (log.unloggedThrough() < next.number()) {
        assertThat(log.firstTraining(Set.of(next.rows().ids()[0])))
            .as("of a sample of the newest update")
            .isLessThanOrEqualTo(next.number());
      }
      assertThat(log.bytes()).isLessThanOrEqualTo(mostBytes);
    }
    long cut = log.unloggedThrough();
    List<LoggedUpdate> logged = log.after(0);
    assertThat(logged).hasSize(UPDATES - (int) cut);
    for (int i = 0; i < logged.size(); i++) {
      assertSame(logged.get(i), all.get((int) cut + i));
    }
    long unlogged =
        all.stream()
            .limit(cut)
            .flatMapToLong(each -> java.util.Arrays.stream(each.rows().ids()))
            .max()
            .orElse(0);
    assertThat(log.highestUnlogged()).isEqualTo(unlogged);
    Set<Long> asked = new HashSet<>(Set.of(1 + (long) (random.nextDouble() * highest)));
    assertThat(log.firstTraining(asked))
        .isEqualTo(
            logged.stream()
                .filter(each -> LongStream.of(each.rows().ids()).anyMatch(asked::contains))
                .mapToLong(LoggedUpdate::number)
                .min()
                .orElse(Long.MAX_VALUE));
    TrainingLog restored = new TrainingLog(mostBytes);
    restored.restore(log.encoded(), cut, unlogged);
    assertThat(restored.encoded()).containsExactlyElementsOf(log.encoded());
    assertThat(restored.bytes()).isEqualTo(log.bytes());
  }

  @Property(tries = 200)
  void without_anySamples_leavesTheOthersAsTheyWere(@ForAll long seed) {
    Random random = new Random(seed);
    LoggedUpdate update = update(1, random, 50);
    Set<Long> gone = new HashSet<>(List.of(1L + random.nextInt(50), update.rows().ids()[0]));
    LoggedUpdate less = update.without(gone);
    assertThat(less.trains(gone.stream().mapToLong(Long::longValue).sorted().toArray())).isFalse();
    int at = 0;
    int event = 0;
    int eventLeft = 0;
    for (int i = 0; i < update.rows().ids().length; i++) {
      boolean stays = !gone.contains(update.rows().ids()[i]);
      if (stays) {
        assertThat(less.rows().ids()[at]).isEqualTo(update.rows().ids()[i]);
        assertThat(less.rows().contents()[at]).isEqualTo(update.rows().contents()[i]);
        assertThat(less.rows().fresh()[at++]).isEqualTo(update.rows().fresh()[i]);
      }
      if (update.rows().fresh()[i]) {
        if (stays) {
          assertThat(less.eventHashes()[eventLeft++]).isEqualTo(update.eventHashes()[event]);
        }
        event++;
      }
    }
    assertThat(less.rows().ids()).hasSize(at);
    assertSame(update.only(asSet(less)), less);
  }

  private static Set<Long> asSet(LoggedUpdate update) {
    Set<Long> ids = new HashSet<>();
    for (long id : update.rows().ids()) {
      ids.add(id);
    }
    return ids;
  }

  @Test
  void log_ofNewSamplesInARow_takesFewBytesForEach() {
    TrainingLog log = new TrainingLog(1L << 20);
    long[] ids = java.util.stream.LongStream.range(1, 1_001).toArray();
    log.add(
        LoggedUpdate.of(
            ForgettingStates.batch(1, ids), io.idlalayer.middleware.sample.HashKey.NONE));
    assertThat(log.bytes()).as("an id, its content, its event, a bit").isBetween(13_000L, 13_300L);
  }
}
