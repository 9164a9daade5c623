package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.benchmarks.quality.Contender.Policy;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class ReplayChooserPropertyTest {
  @Provide
  Arbitrary<Policy> replaying() {
    return Arbitraries.of(
        Policy.UNIFORM, Policy.NEWEST_WINDOW, Policy.RESERVOIR, Policy.LOSS, Policy.CLASS_BALANCED);
  }

  @Property(tries = 200)
  void choosesTrainedSamplesOnceEachAndFillsTheBudget(
      @ForAll("replaying") Policy policy,
      @ForAll @IntRange(min = 0, max = 20) int budget,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ReplayChooser chooser = new ReplayChooser(policy, budget, seed, id -> LifeStage.MATURE);
    Set<Long> trained = new HashSet<>();
    boolean revived = false;
    for (long id = 1; id <= 60; id++) {
      chooser.trainedNew(id, random.nextInt(3), (float) random.nextDouble());
      trained.add(id);
      if (random.nextInt(4) == 0) {
        long again = random.nextLong(1, id + 1);
        chooser.revived(again);
        trained.remove(again);
        revived = true;
      }
      long[] chosen = chooser.choose();
      assertThat(chosen).isSorted().doesNotHaveDuplicates();
      assertThat(trained).containsAll(Arrays.stream(chosen).boxed().toList());
      if (policy != Policy.RESERVOIR || !revived) {
        assertThat(chosen).hasSize(Math.min(budget, trained.size()));
      }
    }
  }

  @Example
  void newestWindowTakesTheLastOnesAndARevivedSampleIsNewWhenItIsTrained() {
    ReplayChooser chooser = new ReplayChooser(Policy.NEWEST_WINDOW, 2, 1, id -> LifeStage.MATURE);
    for (long id = 1; id <= 4; id++) {
      chooser.trainedNew(id, 0, 1);
    }
    assertThat(chooser.choose()).containsExactly(3, 4);
    chooser.revived(1);
    chooser.trainedNew(1, 0, 1);
    assertThat(chooser.choose()).containsExactly(1, 4);
  }

  @Example
  void lossTakesTheHighestLossesLastKnown() {
    ReplayChooser chooser = new ReplayChooser(Policy.LOSS, 2, 1, id -> LifeStage.MATURE);
    chooser.trainedNew(1, 0, 0.5f);
    chooser.trainedNew(2, 0, 0.9f);
    chooser.trainedNew(3, 0, 0.7f);
    assertThat(chooser.choose()).containsExactly(2, 3);
    chooser.trainedAgain(2, 0.1f);
    assertThat(chooser.choose()).containsExactly(1, 3);
  }

  @Example
  void classBalancedGivesARareClassItsShare() {
    ReplayChooser chooser = new ReplayChooser(Policy.CLASS_BALANCED, 10, 1, id -> LifeStage.MATURE);
    for (long id = 1; id <= 1_000; id++) {
      chooser.trainedNew(id, id % 100 == 0 ? 1 : 0, 1);
    }
    long rare = Arrays.stream(chooser.choose()).filter(id -> id % 100 == 0).count();
    assertThat(rare).isEqualTo(5);
  }

  @Example
  void aStageGivesOnlyItsOwn() {
    ReplayChooser chooser =
        new ReplayChooser(
            Policy.DISCARD_RANDOM, 5, 1, id -> id < 4 ? LifeStage.DISCARD : LifeStage.PRESERVE);
    for (long id = 1; id <= 10; id++) {
      chooser.trainedNew(id, 0, 1);
    }
    assertThat(chooser.choose()).containsExactly(1, 2, 3);
  }

  @Example
  void everyAgeIsAsLikelyForUniformAndReservoir() {
    for (Policy policy : List.of(Policy.UNIFORM, Policy.RESERVOIR)) {
      double sum = 0;
      int count = 0;
      for (int seed = 0; seed < 200; seed++) {
        ReplayChooser chooser = new ReplayChooser(policy, 10, seed, id -> LifeStage.MATURE);
        for (long id = 1; id <= 500; id++) {
          chooser.trainedNew(id, 0, 1);
        }
        for (long id : chooser.choose()) {
          sum += id;
          count++;
        }
      }
      // Mean of 2,000 draws from 1..500: 250.5, standard error 3.2.
      assertThat(sum / count).isCloseTo(250.5, within(16.0));
    }
  }
}
