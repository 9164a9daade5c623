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
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lookups and updates of a batch, by numbers that were computed by hand. */
final class RowBatchTest {
  private static final long[] ROWS = {11, 12, 13, 14, 15};

  private static RowBatch batch(
      RowUpdater updater, IdPooling pooling, double learningRate, int wide) {
    EmbeddingPlan plan =
        new EmbeddingPlan(
            List.of(new EmbeddingPlan.Table("t", 1, new RowLayout(1 + wide, updater))),
            List.of(new EmbeddingPlan.Feature(0, pooling, 0)),
            1,
            1 + wide);
    RowTables tables =
        new RowTables(
            plan, new RowRule(learningRate, 0, 1), RowSettings.DEFAULT, new InMemoryRowStore());
    return tables.gatherToTrain(List.of(new IdLists(ROWS, new int[] {5})), List.of());
  }

  private static IdLists bag(long... keys) {
    return new IdLists(keys, new int[] {keys.length});
  }

  private static float weight(RowBatch batch, long key, int i) {
    RowSet set = batch.rows(0);
    return set.values()[set.at(set.row(key)) + i];
  }

  /** Memory tiering, 2.6, number 2. */
  @Test
  void update_threeBags_sumsTheGradientsOfEachRow() {
    RowBatch batch = batch(RowUpdater.SGD, IdPooling.SUM, 0.5, 0);
    batch.update(
        List.of(bag(11, 12, 14), bag(12, 13, 15), bag(11, 14, 15)), new float[] {1, 10, 100});
    assertThat(weight(batch, 11, 0)).isEqualTo(-50.5f);
    assertThat(weight(batch, 12, 0)).isEqualTo(-5.5f);
    assertThat(weight(batch, 14, 0)).isEqualTo(-50.5f);
    assertThat(weight(batch, 13, 0)).isEqualTo(-5f);
    assertThat(weight(batch, 15, 0)).isEqualTo(-55f);
  }

  @Test
  void update_rowTwiceInABag_countsTwice() {
    RowBatch batch = batch(RowUpdater.SGD, IdPooling.SUM, 0.5, 0);
    batch.update(List.of(bag(11, 11)), new float[] {3});
    assertThat(weight(batch, 11, 0)).isEqualTo(-3f);
    float[] input = new float[1];
    batch.fill(bag(11, 11, 12), input, 0);
    assertThat(input).containsExactly(-6f);
  }

  @Test
  void update_mean_sharesTheGradient() {
    RowBatch batch = batch(RowUpdater.SGD, IdPooling.MEAN, 1, 0);
    batch.update(List.of(bag(11, 12)), new float[] {3});
    assertThat(weight(batch, 11, 0)).isEqualTo(-1.5f);
    float[] input = new float[1];
    batch.fill(bag(11, 13), input, 0);
    assertThat(input).containsExactly(-0.75f);
  }

  @Test
  void update_widePart_followsTheWideColumns() {
    RowBatch batch = batch(RowUpdater.SGD, IdPooling.SUM, 1, 2);
    batch.update(List.of(bag(11), bag(12)), new float[] {1, 2, 3, 4, 5, 6});
    assertThat(weight(batch, 11, 1)).isEqualTo(-2f);
    assertThat(weight(batch, 12, 2)).isEqualTo(-6f);
    float[] input = new float[3];
    batch.fill(bag(11, 12), input, 0);
    assertThat(input).containsExactly(-5f, -7f, -9f);
  }

  @Test
  void update_adagrad_dividesByTheRootOfSquares() {
    RowBatch batch = batch(RowUpdater.ADAGRAD, IdPooling.SUM, 0.1, 0);
    batch.update(List.of(bag(11)), new float[] {3});
    assertThat(weight(batch, 11, 0)).isCloseTo(-0.1f, within());
    batch.update(List.of(bag(11)), new float[] {4});
    assertThat(weight(batch, 11, 0)).isCloseTo(-0.1f - 0.1f * 4 / 5, within());
    assertThat(weight(batch, 11, 1)).isEqualTo(25f);
  }

  @Test
  void update_rowWiseAdagrad_dividesByOneRootForTheRow() {
    RowBatch batch = batch(RowUpdater.ROW_WISE_ADAGRAD, IdPooling.SUM, 0.1, 1);
    batch.update(List.of(bag(11)), new float[] {1, 7});
    assertThat(weight(batch, 11, 2)).isEqualTo(25f);
    assertThat(weight(batch, 11, 0)).isCloseTo(-0.1f / 5, within());
    assertThat(weight(batch, 11, 1)).isCloseTo(-0.1f * 7 / 5, within());
  }

  @Test
  void update_adam_countsTheRowsOwnSteps() {
    RowBatch batch = batch(RowUpdater.ADAM, IdPooling.SUM, 0.1, 0);
    batch.update(List.of(bag(12)), new float[] {1});
    batch.update(List.of(bag(12)), new float[] {1});
    batch.update(List.of(bag(11)), new float[] {5});
    assertThat(weight(batch, 12, 0)).isCloseTo(-0.2f, within());
    assertThat(weight(batch, 11, 0)).isCloseTo(-0.1f, within());
  }

  @Test
  void update_gradientThatIsNoNumber_isSeen() {
    RowBatch batch = batch(RowUpdater.SGD, IdPooling.SUM, 0.1, 0);
    assertThat(batch.finite()).isTrue();
    batch.update(List.of(bag(11)), new float[] {Float.NaN});
    assertThat(batch.finite()).isFalse();
  }

  private static org.assertj.core.data.Offset<Float> within() {
    return org.assertj.core.api.Assertions.within(1e-6f);
  }
}
