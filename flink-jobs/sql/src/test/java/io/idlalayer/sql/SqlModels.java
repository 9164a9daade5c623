package io.idlalayer.sql;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/** Published models for queries. */
final class SqlModels {
  /** Two numbers, an array of two, and a category; two classes. */
  static final SampleSchema CLASSES =
      new SampleSchema(
          List.of(),
          List.of(
              SampleSchema.DenseFeature.of("a"),
              SampleSchema.DenseFeature.of("b"),
              new SampleSchema.DenseFeature("c", 2, 1f)),
          List.of(new SampleSchema.CategoricalFeature("site", 5)),
          new SampleSchema.Label("label", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")),
          null);

  /** One number; a target. */
  static final SampleSchema TARGET =
      new SampleSchema(
          List.of(),
          List.of(SampleSchema.DenseFeature.of("a")),
          List.of(),
          new SampleSchema.Label("label", SampleSchema.Task.REGRESSION, List.of()),
          null);

  /** Numbers of these names; two classes. */
  static SampleSchema numbers(String... names) {
    return new SampleSchema(
        List.of(),
        Stream.of(names).map(SampleSchema.DenseFeature::of).toList(),
        List.of(),
        new SampleSchema.Label("class", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
        null);
  }

  private final ModelStore store;
  private final ModelPublisher publisher;

  SqlModels(ModelStore store) throws IOException {
    this.store = store;
    publisher = store.claim("app", 0);
  }

  ModelStore store() {
    return store;
  }

  /** Publishes a network with parameters of a seed. */
  ModelCheckpoint publish(SampleSchema schema, long seed) throws IOException {
    ModelSpec spec = SmallModels.spec(schema, new ModelSpec.Network.Mlp(List.of(4)), false);
    return publisher.publish(Drafts.of("app", SmallModels.files(spec, seed)));
  }
}
