package io.idlalayer.benchmarks.clicks;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import java.util.stream.IntStream;

/** Models of clicks. */
public enum ClickModel {
  /** Rows, and dot products of all pairs; only with numbers. */
  DLRM(0),
  WIDE_AND_DEEP(0),
  /** Rows before a plain network. */
  MLP(0),
  /** One-hot inputs, with few collisions in these logs. */
  ONE_HOT(1_000),
  /** One-hot inputs of few buckets, in which ids collide. */
  HASHED(100);

  private static final int DIM = 8;
  private static final List<Integer> HIDDEN = List.of(64, 32);

  private final int buckets;

  ClickModel(int buckets) {
    this.buckets = buckets;
  }

  boolean fits(ClickLog log) {
    return this != DLRM || log == ClickLog.CRITEO;
  }

  /** Whether it has tables. */
  boolean tables() {
    return buckets == 0;
  }

  /**
   * Returns the specification.
   *
   * @param rate learning rate of the network's Adam
   * @param rowRate learning rate of the rows' Adagrad
   * @param scale bound of the values of new rows, which are between it and its negative
   * @param miniBatch samples of a step
   */
  public ModelSpec spec(
      ClickLog log, double rate, double rowRate, double scale, int epochs, int miniBatch) {
    SampleSchema schema = log.schema(buckets);
    ModelSpec.Network network =
        switch (this) {
          case DLRM -> new ModelSpec.Network.Dlrm(List.of(32), HIDDEN);
          case WIDE_AND_DEEP -> new ModelSpec.Network.WideAndDeep(HIDDEN);
          case MLP, ONE_HOT, HASHED -> new ModelSpec.Network.Mlp(HIDDEN);
        };
    List<ModelSpec.Table> tables =
        schema.ids().stream().map(id -> new ModelSpec.Table(id.name(), DIM)).toList();
    List<ModelSpec.Use> uses =
        IntStream.range(0, tables.size())
            .mapToObj(i -> new ModelSpec.Use(i, IdPooling.SUM))
            .toList();
    return new ModelSpec(
        schema,
        network,
        new ModelSpec.Fit(miniBatch, epochs, ModelSpec.Updater.ADAM, rate, 0),
        true,
        new ModelSpec.Embeddings(
            tables, uses, new ModelSpec.RowFit(RowUpdater.ADAGRAD, rowRate, scale)));
  }
}
