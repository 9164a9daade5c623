package io.idlalayer.modelcontroller.training;

import static io.idlalayer.modelcontroller.training.ModelChangeCase.asServed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.modelloader.serve.RandomModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelFiles;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** Trained models of random shapes whose id features change. */
final class IdFeatureChangePropertyTest {
  private static final List<RandomModel.Kind> KINDS =
      List.of(
          RandomModel.Kind.MLP,
          RandomModel.Kind.MLP_WITH_TABLES,
          RandomModel.Kind.DLRM,
          RandomModel.Kind.WIDE_AND_DEEP);

  @Provide
  Arbitrary<Long> seeds() {
    return Arbitraries.longs();
  }

  /**
   * @param onlyAdds whether the id features that were there stay in their order
   */
  private static ModelChangeCase drawn(long seed, boolean onlyAdds) throws Exception {
    ModelChangeCase of =
        new ModelChangeCase(seed, KINDS, false, (spec, random) -> changed(spec, onlyAdds, random));
    of.assume();
    return of;
  }

  private record Used(IdFeature feature, ModelSpec.Table table, IdPooling pooling) {}

  private static ModelSpec changed(ModelSpec spec, boolean onlyAdds, Random random) {
    List<Used> used = new ArrayList<>();
    for (int i = 0; i < spec.schema().ids().size(); i++) {
      ModelSpec.Use use = spec.embeddings().uses().get(i);
      used.add(new Used(spec.schema().ids().get(i), spec.embeddings().table(use), use.pooling()));
    }
    int dim = used.isEmpty() ? 2 : used.get(0).table().dim();
    if (!onlyAdds && !used.isEmpty()) {
      if (random.nextBoolean()) {
        used.add(used.remove(0));
      }
      if (random.nextBoolean()) {
        used.remove(0);
      }
    }
    for (int i = 0; i < (onlyAdds ? 1 : 0) + random.nextInt(3); i++) {
      // One has a table of its own, another one shares that of a feature.
      boolean shares = i == 1 && !used.isEmpty() && random.nextBoolean();
      ModelSpec.Table table =
          shares ? used.get(0).table() : new ModelSpec.Table("table-of-new" + i, dim);
      used.add(
          random.nextInt(used.size() + 1),
          new Used(new IdFeature("new" + i, 1 + i), table, IdPooling.SUM));
    }
    List<ModelSpec.Table> tables = new ArrayList<>();
    Map<String, Integer> numbers = new HashMap<>();
    List<ModelSpec.Use> uses = new ArrayList<>();
    for (Used each : used) {
      int table =
          numbers.computeIfAbsent(
              each.table().name(),
              any -> {
                tables.add(each.table());
                return tables.size() - 1;
              });
      uses.add(new ModelSpec.Use(table, each.pooling()));
    }
    SampleSchema schema = spec.schema().withIds(used.stream().map(Used::feature).toList());
    return new ModelSpec(
        schema,
        spec.network(),
        spec.fit(),
        spec.standardize(),
        new ModelSpec.Embeddings(tables, uses, spec.embeddings().fit()),
        spec.loss());
  }

  /** The samples with ids of the features that are new. */
  private static List<Sample> filled(ModelChangeCase of, List<Sample> converted) {
    ColumnMap ids = of.change().schema().ids();
    List<Sample> filled = new ArrayList<>();
    for (Sample sample : converted) {
      long[] keys = new long[ids.after()];
      for (int i = 0; i < keys.length; i++) {
        boolean fresh = ids.source(i) == ColumnMap.ADDED;
        keys[i] = fresh ? 2L + of.random.nextInt(6) : sample.ids().key(i);
      }
      filled.add(
          new Sample(
              "", sample.dense(), sample.categorical(), IdLists.single(keys), sample.label()));
    }
    return filled;
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void addedIds_beforeTheFirstUpdate_changeNoBitOfAPrediction(@ForAll("seeds") long seed)
      throws Exception {
    ModelChangeCase of = drawn(seed, true);
    ModelArtifact grown = of.changed();
    float[] served = asServed(of.model, of.samples, of.vectors(of.samples));
    List<Sample> converted = of.converted();
    for (int i = 0; i < of.now.schema().ids().size(); i++) {
      if (of.change().schema().ids().source(i) == ColumnMap.ADDED) {
        assertThat(converted.get(0).ids().key(i)).isEqualTo(IdLists.MISSING);
      }
    }
    for (List<Sample> some : List.of(converted, filled(of, converted))) {
      assertThat(asServed(grown, some, of.vectorsAfter(some))).isEqualTo(served);
    }
  }

  @Property(tries = 60, shrinking = ShrinkingMode.OFF)
  void removedIds_predictAsWithoutTheirVectors(@ForAll("seeds") long seed) throws Exception {
    ModelChangeCase of = drawn(seed, false);
    ColumnMap ids = of.change().schema().ids();
    boolean wide = of.now.network() instanceof ModelSpec.Network.WideAndDeep;
    if (wide || of.before.schema().ids().isEmpty()) {
      return;
    }
    IdVectors all = of.vectors(of.samples);
    IdVectors without =
        (lists, into, at) -> {
          all.fill(lists, into, at);
          int from = 0;
          for (int i = 0; i < of.before.schema().ids().size(); i++) {
            int dim = of.before.embeddings().table(of.before.embeddings().uses().get(i)).dim();
            for (int k = 0; k < dim && isRemoved(ids, i); k++) {
              into[at + from + k] = 0;
            }
            from += dim;
          }
        };
    float[] expected = asServed(of.model, of.samples, without);
    float[] found = asServed(of.changed(), of.converted(), of.vectorsAfter(of.converted()));
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i]).isCloseTo(expected[i], within(1e-4f * (1 + Math.abs(expected[i]))));
    }
  }

  private static boolean isRemoved(ColumnMap ids, int feature) {
    for (int removed : ids.removed()) {
      if (removed == feature) {
        return true;
      }
    }
    return false;
  }

  @Property(tries = 30, shrinking = ShrinkingMode.OFF)
  void training_afterAChange_isThatOfTheNewTables(@ForAll("seeds") long seed) throws Exception {
    ModelChangeCase of = drawn(seed, false);
    List<Sample> samples = new ArrayList<>(of.converted());
    samples.addAll(of.samples(of.now.schema()));
    TrainingResult result = of.trainedOn(samples);
    assertThat(result.meanLossAfter()).isFinite();
    assertThat(ModelFiles.read(result.model(), Long.MAX_VALUE).spec()).isEqualTo(of.now);
  }

  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void addedIds_removedAgain_giveTheSameFiles(@ForAll("seeds") long seed) throws Exception {
    ModelChangeCase of = drawn(seed, true);
    ModelArtifact back = new ModelChange(of.before).fitting(of.changed());
    for (String file : of.model.files().keySet()) {
      if (!file.equals(ModelArtifact.HELD_OUT_FILE)) {
        assertThat(back.files().get(file)).as(file).isEqualTo(of.model.files().get(file));
      }
    }
  }
}
