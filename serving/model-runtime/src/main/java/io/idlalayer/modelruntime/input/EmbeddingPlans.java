package io.idlalayer.modelruntime.input;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.ArrayList;
import java.util.List;

/** Converts the tables of a specification into plans of rows. */
public final class EmbeddingPlans {
  private EmbeddingPlans() {}

  /**
   * Returns the plan of a specification's tables and of the input columns that their rows fill,
   * from {@link ModelSpec#vectorColumns} on; a plan without tables if there are none.
   */
  public static EmbeddingPlan of(ModelSpec spec) {
    ModelSpec.Embeddings embeddings = spec.embeddings();
    List<EmbeddingPlan.Table> tables = new ArrayList<>();
    for (int i = 0; i < embeddings.tables().size(); i++) {
      ModelSpec.Table table = embeddings.tables().get(i);
      RowLayout layout = new RowLayout(spec.rowWeights(table), embeddings.fit().updater());
      tables.add(new EmbeddingPlan.Table(table.name(), table.dim(), layout, spec.rowIndex(i)));
    }
    List<EmbeddingPlan.Feature> features = new ArrayList<>();
    int from = 0;
    for (ModelSpec.Use use : embeddings.uses()) {
      features.add(new EmbeddingPlan.Feature(use.table(), use.pooling(), from));
      from += embeddings.table(use).dim();
    }
    return new EmbeddingPlan(tables, features, from, from + spec.wideColumns());
  }

  /**
   * Returns the rule for initializing and training the rows of tables.
   *
   * @param seed seed of the application
   */
  public static RowRule rule(ModelSpec spec, long seed) {
    ModelSpec.RowFit fit = spec.embeddings().fit();
    return new RowRule(fit.learningRate(), fit.initialScale(), seed);
  }
}
