package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.LearnerHistory.Fault;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/**
 * Random histories of a learner, each decided by its seed, keep what the documents promise. {@code
 * -Didlalayer.histories=N} runs N times as many of them.
 */
final class LearnerHistoryPropertyTest {
  private static final int STEPS = 150;
  private static final int MORE = Integer.getInteger("idlalayer.histories", 1);

  private static void histories(long seed, Set<Fault> faults) throws InterruptedException {
    for (int i = 0; i < MORE; i++) {
      long each = seed + 0x9E3779B97F4A7C15L * i;
      RuleName[] rules = RuleName.values();
      history(each, rules[Math.floorMod(each, rules.length)], faults);
    }
  }

  private static void history(long seed, RuleName rule, Set<Fault> faults)
      throws InterruptedException {
    try (LearnerHistory world = new LearnerHistory(seed, rule, faults)) {
      world.live(STEPS);
      world.finish();
      world.live(STEPS / 3);
      world.finish();
    } catch (AssertionError violated) {
      throw new AssertionError(
          "seed %d, rule %s, faults %s: %s".formatted(seed, rule, faults, violated.getMessage()),
          violated);
    }
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void history_crashesAndOlderState_isSound(@ForAll long seed) throws InterruptedException {
    histories(seed, EnumSet.of(Fault.CRASH, Fault.OLDER_STATE));
  }

  @Test
  void history_aLearnerThatForgetsToCatchUp_isFound() throws InterruptedException {
    List<String> found = new ArrayList<>();
    for (long seed = 1; seed <= 200 && found.isEmpty(); seed++) {
      Set<Fault> faults = EnumSet.of(Fault.CRASH, Fault.OLDER_STATE);
      try (LearnerHistory world = new LearnerHistory(seed, RuleName.BEST_EFFORT, faults)) {
        world.forgetsToCatchUp();
        world.live(2 * STEPS);
      } catch (AssertionError violated) {
        found.add(String.valueOf(violated.getMessage()));
      }
    }
    assertThat(found).singleElement().asString().contains("and others waited");
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void history_labelsTakenBackAndCrashes_isSound(@ForAll long seed) throws InterruptedException {
    histories(seed, EnumSet.of(Fault.CRASH, Fault.RETRACTION));
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void history_labelsTakenBackUnderASpeculativeRule_isSound(@ForAll long seed)
      throws InterruptedException {
    history(seed, RuleName.SPECULATIVE, EnumSet.of(Fault.RETRACTION, Fault.TRAINING));
  }

  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void history_clockSteps_isSound(@ForAll long seed) throws InterruptedException {
    histories(seed, EnumSet.of(Fault.CLOCK));
  }

  @Property(tries = 15, shrinking = ShrinkingMode.OFF)
  void history_failingPublicationsAndCrashes_isSound(@ForAll long seed)
      throws InterruptedException {
    histories(seed, EnumSet.of(Fault.CRASH, Fault.PUBLISHING));
  }

  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void history_failingTrainings_isSound(@ForAll long seed) throws InterruptedException {
    histories(seed, EnumSet.of(Fault.TRAINING, Fault.CRASH));
  }

  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void history_culprits_isSound(@ForAll long seed) throws InterruptedException {
    Fault[] kinds = {Fault.CULPRIT, Fault.NAN, Fault.HANG};
    histories(seed, EnumSet.of(kinds[Math.floorMod(seed, kinds.length)]));
  }

  @Property(tries = 5, shrinking = ShrinkingMode.OFF)
  void history_samplesThatKillTheProcess_isSound(@ForAll long seed) throws InterruptedException {
    histories(seed, EnumSet.of(Fault.KILLER));
  }

  @Property(tries = 8, shrinking = ShrinkingMode.OFF)
  void history_fullStore_isSound(@ForAll long seed) throws InterruptedException {
    histories(seed, EnumSet.of(Fault.FULL_STORE, Fault.CRASH, Fault.RETRACTION));
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void history_anyFaultsTogether_isSound(@ForAll long seed) throws InterruptedException {
    Random random = new Random(seed);
    EnumSet<Fault> faults = EnumSet.of(Fault.CRASH);
    for (Fault fault : Fault.values()) {
      if (random.nextBoolean()) {
        faults.add(fault);
      }
    }
    histories(seed, faults);
  }
}
