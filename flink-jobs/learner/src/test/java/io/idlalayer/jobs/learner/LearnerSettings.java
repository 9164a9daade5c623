package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.memory.Tensors;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.text.TextForm;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Settings made from others. */
public final class LearnerSettings {
  private LearnerSettings() {}

  /** With a release gate. */
  public static ApplicationSettings gated(ApplicationSettings plain, int kept, GateSettings gate) {
    return published(plain, new ApplicationSettings.Publishing(null, 0.0, kept, gate, false));
  }

  /**
   * With a time between publications.
   *
   * @param everySeconds null for auto
   */
  static ApplicationSettings publishingEvery(
      ApplicationSettings plain, @Nullable Double everySeconds, int kept) {
    return published(
        plain,
        new ApplicationSettings.Publishing(
            null, everySeconds, kept, GateSettings.off(Metric.ACCURACY), false));
  }

  static ApplicationSettings published(
      ApplicationSettings plain, ApplicationSettings.Publishing publishing) {
    return new ApplicationSettings(
        plain.name(),
        plain.partitions(),
        plain.seed(),
        plain.input(),
        plain.model(),
        plain.engine(),
        plain.update(),
        plain.data(),
        publishing,
        plain.memory(),
        plain.kafka());
  }

  /** With other memory. */
  static ApplicationSettings with(ApplicationSettings plain, ApplicationSettings.Memory memory) {
    return new ApplicationSettings(
        plain.name(),
        plain.partitions(),
        plain.seed(),
        plain.input(),
        plain.model(),
        plain.engine(),
        plain.update(),
        plain.data(),
        plain.publishing(),
        memory,
        plain.kafka());
  }

  /** With a network that is served alone. */
  static ApplicationSettings withoutReferences(ApplicationSettings plain) {
    return new ApplicationSettings(
        plain.name(),
        plain.partitions(),
        plain.seed(),
        plain.input(),
        plain.model(),
        plain.engine(),
        plain.update(),
        plain.data(),
        plain.publishing(),
        plain.memory(),
        plain.kafka(),
        plain.metric(),
        false,
        plain.mixing(),
        plain.comparison(),
        plain.start());
  }

  /** With ids in samples, and tables for them in the network. */
  static ApplicationSettings withTables(
      ApplicationSettings plain,
      List<IdFeature> ids,
      ModelSpec.Network network,
      ModelSpec.Fit fit,
      ModelSpec.Embeddings tables,
      RowSettings rows) {
    ApplicationSettings.Input input = plain.input();
    ApplicationSettings.Memory memory = plain.memory();
    SampleSchema dense = input.schema();
    SampleSchema schema =
        new SampleSchema(dense.columns(), dense.dense(), List.of(), ids, dense.label(), dense.id());
    return new ApplicationSettings(
        plain.name(),
        plain.partitions(),
        plain.seed(),
        new ApplicationSettings.Input(
            input.topic(), input.format(), false, TextForm.PLAIN, schema, input.maxEventBytes()),
        new ModelSpec(schema, network, fit, true, tables),
        EngineName.AUTO,
        plain.update(),
        plain.data(),
        plain.publishing(),
        new ApplicationSettings.Memory(
            null,
            memory.hotBytes(),
            memory.hotPolicy(),
            false,
            Tensors.NONE,
            rows,
            memory.sharedDirectory(),
            memory.lending(),
            null),
        plain.kafka());
  }

  /** With samples of this form, and a network for them. */
  static ApplicationSettings learning(
      ApplicationSettings plain,
      SampleSchema schema,
      ModelSpec.Network network,
      ModelSpec.Fit fit) {
    ApplicationSettings.Input input = plain.input();
    return new ApplicationSettings(
        plain.name(),
        plain.partitions(),
        plain.seed(),
        new ApplicationSettings.Input(
            input.topic(), input.format(), false, TextForm.PLAIN, schema, input.maxEventBytes()),
        new ModelSpec(schema, network, fit, true),
        EngineName.AUTO,
        plain.update(),
        plain.data(),
        plain.publishing(),
        plain.memory(),
        plain.kafka());
  }
}
