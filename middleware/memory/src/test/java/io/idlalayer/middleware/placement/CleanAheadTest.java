package io.idlalayer.middleware.placement;

import static io.idlalayer.middleware.memory.Tiers.FAST;
import static io.idlalayer.middleware.memory.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.memory.MemoryClock;
import io.idlalayer.middleware.memory.RealClock;
import io.idlalayer.middleware.memory.TieredMemory;
import io.idlalayer.middleware.memory.Tiers;
import io.idlalayer.middleware.memory.VerifyReport;
import io.idlalayer.middleware.memory.VirtualClock;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CleanAheadTest {
  private static final long SECOND = 1_000_000_000;

  static Stream<MemoryClock> clocks() {
    return Stream.of(new VirtualClock(), new RealClock());
  }

  /** A predictor that expects an object again in ten kernels. */
  private static ReusePredictor farAway(MemObject object) {
    ReusePredictor reuse = new ReusePredictor();
    reuse.kernel(new KernelEvent(0, "use", List.of(object), List.of()));
    for (int i = 1; i < 10; i++) {
      reuse.kernel(new KernelEvent(i, "other", List.of(), List.of()));
    }
    reuse.kernel(new KernelEvent(0, "use", List.of(object), List.of()));
    return reuse;
  }

  private static TierMoves underPressure(TieredMemory memory) {
    TierMoves moves = new TierMoves(memory, PolicyEnvironment.of(memory, new SplittableRandom(1)));
    moves.counts.forcedEvictions = 1;
    return moves;
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void whatIsWrittenAhead_isFreeToBeUsedOnceItIsCopied(MemoryClock clock) throws Exception {
    try (TieredMemory memory = Tiers.of(100, 1000, clock)) {
      MemObject object = Tiers.make(memory, FAST, 40);
      Tiers.fill(memory, object, 1);
      TierMoves moves = underPressure(memory);
      CleanAhead cleaning = new CleanAhead(moves);
      cleaning.begin(List.of(Set.of(object)), farAway(object), SECOND);
      assertThat(cleaning.writes(object)).isTrue();
      // Nobody calls the policy meanwhile: the move must end by itself.
      await().atMost(Tiers.PATIENCE).until(() -> object.linked(SLOW).isPresent());
      Tiers.fill(memory, object, 2);
      assertThat(object.dirty()).isTrue();
      cleaning.finish(object);
      assertThat(cleaning.writes(object)).isFalse();
      assertThat(moves.counts.writtenBackBytes).isEqualTo(40);
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      // Written since, so it is worth writing again, over the same twin.
      moves.counts.forcedEvictions = 2;
      cleaning.begin(List.of(Set.of(object)), farAway(object), SECOND);
      assertThat(cleaning.finishAll()).isTrue();
      assertThat(object.dirty()).isFalse();
      assertThat(moves.demote(object)).isZero();
      assertThat(Tiers.read(memory, object)).containsOnly(2);
    }
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void whatIsRetiredBehindItsBack_leavesNothing(MemoryClock clock) throws Exception {
    try (TieredMemory memory = Tiers.of(100, 1000, clock)) {
      MemObject object = Tiers.make(memory, FAST, 40);
      CleanAhead cleaning = new CleanAhead(underPressure(memory));
      cleaning.begin(List.of(Set.of(object)), farAway(object), SECOND);
      memory.retire(object);
      cleaning.finishAll();
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      assertThat(memory.use(FAST).occupiedBytes()).isZero();
      assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    }
  }

  @Test
  void retiringAtTheMomentThatACopyEnds_freesEveryRegionOnce() throws Exception {
    try (TieredMemory memory = Tiers.of(100, 1000, new RealClock())) {
      TierMoves moves = underPressure(memory);
      CleanAhead cleaning = new CleanAhead(moves);
      for (int i = 0; i < 2_000; i++) {
        MemObject object = Tiers.make(memory, FAST, 40);
        moves.counts.forcedEvictions++;
        cleaning.begin(List.of(Set.of(object)), farAway(object), SECOND);
        memory.retire(object);
        cleaning.finishAll();
      }
      assertThat(moves.counts.writtenBackBytes).isPositive();
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
      assertThat(memory.use(SLOW).occupiedBytes()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("clocks")
  void aFullSlowDevice_isLeftAlone(MemoryClock clock) throws Exception {
    try (TieredMemory memory = Tiers.of(100, 30, clock)) {
      MemObject object = Tiers.make(memory, FAST, 40);
      CleanAhead cleaning = new CleanAhead(underPressure(memory));
      cleaning.begin(List.of(Set.of(object)), farAway(object), SECOND);
      assertThat(cleaning.writes(object)).isFalse();
      Tiers.fill(memory, object, 3);
      memory.retire(object);
      assertThat(memory.verify(true)).isEqualTo(new VerifyReport(List.of(), 0, 0));
    }
  }
}
