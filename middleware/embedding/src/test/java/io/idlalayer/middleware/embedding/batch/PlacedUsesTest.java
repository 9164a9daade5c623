package io.idlalayer.middleware.embedding.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Remembered places of ids give the rows that searching for them gives. */
final class PlacedUsesTest {
  private static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(
              new EmbeddingPlan.Table("users", 2, new RowLayout(3, RowUpdater.ADAGRAD)),
              new EmbeddingPlan.Table("items", 3, new RowLayout(4, RowUpdater.ADAGRAD))),
          List.of(
              new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
              new EmbeddingPlan.Feature(1, IdPooling.MEAN, 2),
              new EmbeddingPlan.Feature(0, IdPooling.SUM, 5)),
          7,
          8);

  private static List<IdLists> samples(SplittableRandom random, int count, int ids) {
    List<IdLists> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int first = random.nextInt(1, 3);
      int second = first + random.nextInt(1, 4);
      long[] keys = new long[second + 1];
      for (int k = 0; k < keys.length; k++) {
        keys[k] = 2L + random.nextInt(ids);
      }
      samples.add(new IdLists(keys, new int[] {first, second, keys.length}));
    }
    // The sample is used again, as a replayed one.
    samples.add(samples.get(random.nextInt(count)));
    return samples;
  }

  /** Equal, but none of those that the batch was gathered for. */
  private static List<IdLists> twins(List<IdLists> samples) {
    return samples.stream()
        .map(
            ids -> {
              long[] keys = new long[ids.size()];
              for (int i = 0; i < keys.length; i++) {
                keys[i] = ids.key(i);
              }
              return new IdLists(keys, new int[] {ids.to(0), ids.to(1), ids.to(2)});
            })
        .toList();
  }

  private static RowTables tables() {
    return new RowTables(
        PLAN, new RowRule(0.1, 0.5, 7), RowSettings.DEFAULT, new InMemoryRowStore());
  }

  private static float[] vectors(RowBatch batch, List<IdLists> samples) {
    float[] input = new float[samples.size() * PLAN.width()];
    for (int i = 0; i < samples.size(); i++) {
      batch.fill(samples.get(i), input, i * PLAN.width());
    }
    return input;
  }

  @Property(tries = 100)
  void fillAndUpdate_anyOrder_giveWhatSearchingGives(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 600) int count) {
    SplittableRandom random = new SplittableRandom(seed);
    List<IdLists> gathered = samples(random, count, 1 + random.nextInt(2 * count));
    RowTables tables = tables();
    RowBatch placed =
        tables.gatherToTrain(gathered.subList(0, count / 2), gathered.subList(count / 2, count));
    RowBatch searched = placed.copy();
    List<IdLists> order = new ArrayList<>(gathered.subList(0, count));
    for (int pass = 0; pass < 3; pass++) {
      // Rows that no mini-batch used are not committed.
      List<IdLists> batch = order.subList(0, pass == 0 ? count : 1 + random.nextInt(count));
      List<IdLists> equal = twins(batch);
      assertThat(vectors(placed, batch)).isEqualTo(vectors(searched, equal));
      float[] errors = new float[batch.size() * PLAN.width()];
      for (int i = 0; i < errors.length; i++) {
        errors[i] = (float) random.nextDouble(-1, 1);
      }
      placed.update(batch, errors);
      searched.update(equal, errors);
      if (random.nextBoolean()) {
        Collections.shuffle(order, new Random(seed + pass));
      }
    }
    assertThat(vectors(placed, gathered)).isEqualTo(vectors(searched, twins(gathered)));
    tables.commit(placed, 1);
    RowBatch read = tables.gather(gathered);
    assertThat(vectors(read, gathered)).isEqualTo(vectors(searched, twins(gathered)));
  }

  @Test
  void from_samplesOfTheSameOrder_areKnownTwice() {
    List<IdLists> samples =
        List.of(IdLists.single(5, 6, 7), IdLists.single(5, 6, 7), IdLists.single(8, 9, 10));
    PlacedUses uses = new PlacedUses(samples);
    for (int pass = 0; pass < 2; pass++) {
      assertThat(samples.stream().map(uses::from)).containsExactly(0, 3, 6);
    }
    assertThat(uses.from(samples.get(2))).isEqualTo(PlacedUses.NONE);
    assertThat(uses.from(IdLists.single(5, 6, 7))).isEqualTo(PlacedUses.NONE);
    assertThat(uses.from(samples.get(0))).isZero();
    assertThat(new PlacedUses(uses).from(samples.get(0))).isZero();
  }
}
