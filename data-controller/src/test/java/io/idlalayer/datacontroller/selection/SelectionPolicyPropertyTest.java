package io.idlalayer.datacontroller.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings.Policy;
import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.datacontroller.settings.DataSettings.Replay;
import io.idlalayer.datacontroller.store.Measures;
import io.idlalayer.datacontroller.store.SampleIdentity;
import io.idlalayer.datacontroller.store.SampleIndex;
import io.idlalayer.datacontroller.store.SampleMetadata;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SelectionPolicyPropertyTest {
  private record Entry(long id, LifeStage stage, Measures measures, float label) {}

  private static Replay replay(Policy policy, int budget) {
    return Replay.of(policy, new Ratios(0.5, 1, 0.1), true, budget);
  }

  private static List<Entry> entries(SplittableRandom random, int count) {
    List<Entry> entries = new ArrayList<>();
    for (long id = 1; id <= count; id++) {
      float[] values = new float[5];
      for (int i = 0; i < values.length; i++) {
        values[i] = random.nextInt(9) == 0 ? Float.NaN : random.nextInt(20) / 10f;
      }
      Measures measures =
          new Measures(
              0, random.nextInt(9) / 8f - 0.5f, values[0], values[1], values[2], 0.5f, 0.5f);
      LifeStage stage = LifeStage.of((byte) random.nextInt(4));
      entries.add(new Entry(id, stage, measures, random.nextInt(8) == 0 ? 1 : 0));
    }
    return entries;
  }

  /** An index whose slots are in another order than the ids. */
  private static SampleIndex index(List<Entry> entries, SplittableRandom random) {
    List<Entry> order = new ArrayList<>(entries);
    for (int i = order.size() - 1; i > 0; i--) {
      java.util.Collections.swap(order, i, random.nextInt(i + 1));
    }
    SampleIndex index = new SampleIndex();
    for (Entry each : order) {
      index.add(
          each.id(),
          SampleMetadata.newborn(
                  new SampleIdentity(new ContentHash(each.id(), each.id()), 0, 1, each.label()),
                  1,
                  each.id())
              .evaluated(each.stage(), each.measures(), 0, 1));
    }
    return index;
  }

  private static long[] best(List<Entry> entries, ToDoubleFunction<Entry> rank, int budget) {
    return entries.stream()
        .filter(each -> each.stage() != LifeStage.NEWBORN)
        .sorted(
            Comparator.comparing((Entry each) -> Double.isNaN(rank.applyAsDouble(each)))
                .thenComparing(each -> -rank.applyAsDouble(each))
                .thenComparing(Entry::id))
        .limit(budget)
        .mapToLong(Entry::id)
        .sorted()
        .toArray();
  }

  @Property(tries = 300)
  void rankedPolicies_takeTheFirstOfTheirOrder(
      @ForAll long seed,
      @ForAll @IntRange(min = 0, max = 150) int count,
      @ForAll @IntRange(min = 0, max = 80) int budget) {
    List<Entry> entries = entries(new SplittableRandom(seed), count);
    SampleIndex index = index(entries, new SplittableRandom(~seed));
    Map<Policy, ToDoubleFunction<Entry>> ranks =
        Map.of(
            Policy.LOSS, each -> each.measures().loss(),
            Policy.GRADIENT_NORM, each -> each.measures().gradientNorm(),
            Policy.REDUCIBLE_LOSS, each -> each.measures().reducibleLoss(),
            Policy.NEWEST_WINDOW, Entry::id);
    ranks.forEach(
        (policy, rank) ->
            assertThat(SelectionPolicies.of(replay(policy, budget), seed, index).replayed(7))
                .isEqualTo(best(entries, rank, budget)));
  }

  @Property(tries = 300)
  void anyPolicy_keepsTheBudgetAndRepeatsItself(
      @ForAll Policy policy,
      @ForAll long seed,
      @ForAll @IntRange(min = 0, max = 150) int count,
      @ForAll @IntRange(min = 0, max = 80) int budget) {
    List<Entry> entries = entries(new SplittableRandom(seed), count);
    SampleIndex one = index(entries, new SplittableRandom(1));
    SampleIndex other = index(entries, new SplittableRandom(2));
    long[] chosen = SelectionPolicies.of(replay(policy, budget), seed, one).replayed(3);

    assertThat(chosen)
        .isEqualTo(SelectionPolicies.of(replay(policy, budget), seed, other).replayed(3))
        .hasSizeLessThanOrEqualTo(budget)
        .isSorted()
        .doesNotHaveDuplicates();
    for (long id : chosen) {
      assertThat(one.stage(one.slotOf(id))).isNotEqualTo(LifeStage.NEWBORN);
    }
  }

  @Property(tries = 200)
  void classBalanced_givesEachClassItsShareOrAllItHas(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 80) int budget) {
    List<Entry> entries = entries(new SplittableRandom(seed), 150);
    SampleIndex index = index(entries, new SplittableRandom(~seed));
    long[] chosen =
        SelectionPolicies.of(replay(Policy.CLASS_BALANCED, budget), seed, index).replayed(3);
    Map<Float, Integer> have = new HashMap<>();
    entries.stream()
        .filter(each -> each.stage() != LifeStage.NEWBORN)
        .forEach(each -> have.merge(each.label(), 1, Integer::sum));
    Map<Float, Integer> taken = new HashMap<>();
    for (long id : chosen) {
      taken.merge(index.label(index.slotOf(id)), 1, Integer::sum);
    }
    have.forEach(
        (label, all) ->
            assertThat(taken.getOrDefault(label, 0))
                .isGreaterThanOrEqualTo(Math.min(all, budget / have.size())));
  }

  @Example
  void uniform_drawsAnew_reservoirKeeps() {
    List<Entry> entries = entries(new SplittableRandom(5), 1000);
    SampleIndex index = index(entries, new SplittableRandom(6));
    SelectionPolicy uniform = SelectionPolicies.of(replay(Policy.UNIFORM, 100), 1, index);
    SelectionPolicy reservoir = SelectionPolicies.of(replay(Policy.RESERVOIR, 100), 1, index);

    assertThat(uniform.replayed(1)).isNotEqualTo(uniform.replayed(2));
    assertThat(reservoir.replayed(1)).isEqualTo(reservoir.replayed(2));
    long[] counts = new long[10];
    for (int update = 0; update < 1000; update++) {
      for (long id : uniform.replayed(update)) {
        counts[(int) (id - 1) / 100]++;
      }
    }
    // 100,000 draws over ten tenths of equal size, up to the Newborns among them.
    assertThat(Arrays.stream(counts).min().orElseThrow()).isGreaterThan(8_500);
  }
}
