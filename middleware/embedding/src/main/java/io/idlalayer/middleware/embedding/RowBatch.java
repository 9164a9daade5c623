package io.idlalayer.middleware.embedding;

import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies of all rows that a batch of samples uses. A training changes them; nobody else sees that
 * before they are committed. Belongs to one thread at a time.
 */
public final class RowBatch implements IdVectors {
  private final EmbeddingPlan plan;
  private final boolean trains;
  private final List<RowSet> sets;
  private final List<RowStep> steps;
  private final UniqueRows unique = new UniqueRows();
  private int[] rowOfUse = new int[0];
  private int[] sampleOfUse = new int[0];
  private int[] featureOfUse = new int[0];
  private float[] shareOfUse = new float[0];

  private RowBatch(EmbeddingPlan plan, RowRule rule, boolean trains) {
    this.plan = plan;
    this.trains = trains;
    List<RowSet> made = new ArrayList<>();
    List<RowStep> updates = new ArrayList<>();
    for (EmbeddingPlan.Table table : plan.tables()) {
      RowLayout layout = table.layout();
      made.add(new RowSet(trains ? layout : new RowLayout(layout.weights(), RowUpdater.SGD)));
      updates.add(new RowStep(layout, rule.learningRate()));
    }
    sets = List.copyOf(made);
    steps = List.copyOf(updates);
  }

  /** An empty batch for rows with their updater's state. */
  static RowBatch toTrain(EmbeddingPlan plan, RowRule rule) {
    return new RowBatch(plan, rule, true);
  }

  /** An empty batch for weights only. */
  static RowBatch toPredict(EmbeddingPlan plan, RowRule rule) {
    return new RowBatch(plan, rule, false);
  }

  private RowBatch(RowBatch other) {
    plan = other.plan;
    trains = other.trains;
    sets = other.sets.stream().map(RowSet::new).toList();
    steps = other.steps;
  }

  /** Bytes that a row takes in a batch, at most. */
  public static long bytesOfRow(RowLayout layout) {
    return RowSet.bytesOfRow(layout);
  }

  /** An independent copy. */
  public RowBatch copy() {
    return new RowBatch(this);
  }

  public EmbeddingPlan plan() {
    return plan;
  }

  /** The rows of a table. */
  public RowSet rows(int table) {
    return sets.get(table);
  }

  /** Number of rows of all tables, without ids that have none. */
  public int size() {
    int size = 0;
    for (RowSet set : sets) {
      for (int i = 0; i < set.size(); i++) {
        size += set.kind(i) == RowSet.Kind.ROW ? 1 : 0;
      }
    }
    return size;
  }

  /** Whether every number of every row is finite. */
  public boolean finite() {
    return sets.stream().allMatch(RowSet::finite);
  }

  @Override
  public void fill(IdLists ids, float[] input, int at) {
    for (int f = 0; f < plan.features().size(); f++) {
      EmbeddingPlan.Feature feature = plan.features().get(f);
      EmbeddingPlan.Table table = plan.tables().get(feature.table());
      RowSet set = sets.get(feature.table());
      float[] values = set.values();
      int vector = table.vector();
      int to = at + feature.from();
      float share = feature.pooling().share(ids, f);
      for (int use = ids.from(f); use < ids.to(f); use++) {
        int row = set.at(set.row(ids.key(use)));
        Pooling.add(values, row, vector, share, input, to);
        Pooling.add(values, row + vector, table.wide(), share, input, at + plan.wideFrom());
      }
    }
  }

  /**
   * Updates the rows that a mini-batch uses; each once, by the sum of the gradients of its uses.
   *
   * @param samples of the mini-batch
   * @param errors of shape [samples, columns]: the gradient of the loss with respect to what {@link
   *     #fill} gives
   * @throws IllegalStateException if the rows were gathered for predictions
   */
  public void update(List<IdLists> samples, float[] errors) {
    if (!trains) {
      throw new IllegalStateException("these rows were gathered to predict, without state");
    }
    for (int table = 0; table < sets.size(); table++) {
      int uses = collect(samples, table);
      RowSet set = sets.get(table);
      unique.index(rowOfUse, uses, set.size());
      update(table, errors);
    }
  }

  private int collect(List<IdLists> samples, int table) {
    RowSet set = sets.get(table);
    int uses = 0;
    for (int f = 0; f < plan.features().size(); f++) {
      if (plan.features().get(f).table() == table) {
        for (IdLists ids : samples) {
          uses += ids.to(f) - ids.from(f);
        }
      }
    }
    if (rowOfUse.length < uses) {
      rowOfUse = new int[uses];
      sampleOfUse = new int[uses];
      featureOfUse = new int[uses];
      shareOfUse = new float[uses];
    }
    int at = 0;
    for (int sample = 0; sample < samples.size(); sample++) {
      IdLists ids = samples.get(sample);
      for (int f = 0; f < plan.features().size(); f++) {
        EmbeddingPlan.Feature feature = plan.features().get(f);
        if (feature.table() == table) {
          float share = feature.pooling().share(ids, f);
          for (int use = ids.from(f); use < ids.to(f); use++) {
            rowOfUse[at] = set.row(ids.key(use));
            sampleOfUse[at] = sample;
            featureOfUse[at] = f;
            shareOfUse[at] = share;
            at++;
          }
        }
      }
    }
    return uses;
  }

  private void update(int index, float[] errors) {
    EmbeddingPlan.Table table = plan.tables().get(index);
    RowSet set = sets.get(index);
    RowStep step = steps.get(index);
    float[] gradient = new float[table.layout().weights()];
    for (int ordinal = 0; ordinal < unique.count(); ordinal++) {
      java.util.Arrays.fill(gradient, 0);
      for (int i = unique.from(ordinal); i < unique.to(ordinal); i++) {
        int use = unique.use(i);
        int row = sampleOfUse[use] * plan.width();
        int from = row + plan.features().get(featureOfUse[use]).from();
        float share = shareOfUse[use];
        for (int k = 0; k < table.vector(); k++) {
          gradient[k] += share * errors[from + k];
        }
        for (int k = 0; k < table.wide(); k++) {
          gradient[table.vector() + k] += share * errors[row + plan.wideFrom() + k];
        }
      }
      int position = unique.row(ordinal);
      step.apply(set.values(), set.at(position), gradient, set.step(position));
    }
  }
}
