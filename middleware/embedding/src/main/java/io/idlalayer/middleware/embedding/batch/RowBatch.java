package io.idlalayer.middleware.embedding.batch;

import io.idlalayer.middleware.embedding.loops.RowLoops;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.store.RowKind;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Copies of all embedding rows that a batch of samples uses. A training changes the copies; the
 * tables change when they are committed. Belongs to one thread at a time.
 */
public final class RowBatch implements IdVectors {
  private final EmbeddingPlan plan;
  private final boolean trains;
  private final RowLoops loops;
  private final List<RowSet> sets;
  private final List<RowStep> steps;
  private final PlacedUses placed;

  /** For each table, the indexes of the features whose ids it serves. */
  private final int[][] featuresOfTable;

  private final UniqueRows unique = new UniqueRows();
  private final RowSum sum;
  private int[] rowOfUse = new int[0];

  /** For each use of an id, the index at which the errors of its row's vector begin. */
  private int[] vectorOfUse = new int[0];

  /** For each use of an id, the index at which the errors of its row's wide part begin. */
  private int[] wideOfUse = new int[0];

  private float[] shareOfUse = new float[0];

  private RowBatch(
      EmbeddingPlan plan, RowRule rule, boolean trains, List<IdLists> samples, RowLoops loops) {
    this.plan = plan;
    this.trains = trains;
    this.loops = loops;
    sum = new RowSum(loops);
    featuresOfTable = featuresOfTable(plan);
    List<RowSet> made = new ArrayList<>();
    List<RowStep> updates = new ArrayList<>();
    for (int i = 0; i < plan.tables().size(); i++) {
      RowLayout layout = plan.tables().get(i).layout();
      // A guess that is too low costs a copy of the ids, one that is too high costs memory.
      int expected = uses(samples, i) / 2;
      made.add(
          new RowSet(trains ? layout : new RowLayout(layout.weights(), RowUpdater.SGD), expected));
      updates.add(new RowStep(layout, rule.learningRate(), loops));
    }
    sets = List.copyOf(made);
    steps = List.copyOf(updates);
    placed = new PlacedUses(samples);
  }

  private static int[][] featuresOfTable(EmbeddingPlan plan) {
    int[][] features = new int[plan.tables().size()][];
    for (int table = 0; table < features.length; table++) {
      int which = table;
      features[table] =
          IntStream.range(0, plan.features().size())
              .filter(f -> plan.features().get(f).table() == which)
              .toArray();
    }
    return features;
  }

  private int uses(List<IdLists> samples, int table) {
    int uses = 0;
    for (IdLists ids : samples) {
      for (int f : featuresOfTable[table]) {
        uses += ids.to(f) - ids.from(f);
      }
    }
    return uses;
  }

  /**
   * Makes an empty batch for a training: its rows hold weights and the updater's state. The rows
   * are to be read.
   */
  public static RowBatch toTrain(
      EmbeddingPlan plan,
      RowRule rule,
      List<IdLists> fresh,
      List<IdLists> replayed,
      RowLoops loops) {
    List<IdLists> all = new ArrayList<>(fresh);
    all.addAll(replayed);
    RowBatch batch = new RowBatch(plan, rule, true, all, loops);
    for (int i = 0; i < all.size(); i++) {
      batch.place(all.get(i), i < fresh.size());
    }
    batch.open();
    return batch;
  }

  /** Makes an empty batch for predictions: its rows hold weights only. The rows are to be read. */
  public static RowBatch toPredict(
      EmbeddingPlan plan, RowRule rule, List<IdLists> samples, RowLoops loops) {
    RowBatch batch = new RowBatch(plan, rule, false, samples, loops);
    samples.forEach(ids -> batch.place(ids, false));
    batch.open();
    return batch;
  }

  /** Allocates the memory for all rows before the first row is read. */
  private void open() {
    for (RowSet set : sets) {
      set.unknown(set.place(IdLists.UNKNOWN));
      set.open();
    }
  }

  private void place(IdLists ids, boolean fresh) {
    int first = placed.from(ids);
    for (int f = 0; f < plan.features().size(); f++) {
      int table = plan.features().get(f).table();
      RowSet set = sets.get(table);
      RowIndex index = plan.tables().get(table).index();
      boolean fixed = index.fixed();
      int end = ids.to(f);
      for (int use = ids.from(f); use < end; use++) {
        if (fixed && !index.holds(ids.key(use))) {
          throw new IllegalArgumentException(
              String.format(
                  Locale.ROOT,
                  "key %d of a sample is not one of the %,d rows of table '%s'; make keys of ids"
                      + " with the index of their feature (RowIndex.keyOf)",
                  ids.key(use),
                  index.rows(),
                  plan.tables().get(table).name()));
        }
        int position = set.place(ids.key(use));
        placed.put(first + use, position);
        if (fresh) {
          set.addFresh(position);
        }
      }
    }
  }

  private RowBatch(RowBatch other) {
    plan = other.plan;
    trains = other.trains;
    loops = other.loops;
    sum = new RowSum(loops);
    sets = other.sets.stream().map(RowSet::new).toList();
    steps = other.steps.stream().map(RowStep::copy).toList();
    placed = new PlacedUses(other.placed);
    featuresOfTable = other.featuresOfTable;
  }

  /** Returns the largest number of bytes that a row of a layout takes in a batch. */
  public static long bytesOfRow(RowLayout layout) {
    return RowSet.bytesOfRow(layout);
  }

  /** Returns an independent copy of this batch. */
  public RowBatch copy() {
    return new RowBatch(this);
  }

  public EmbeddingPlan plan() {
    return plan;
  }

  /** Returns the copied rows of a table. */
  public RowSet rows(int table) {
    return sets.get(table);
  }

  /** Returns the number of rows of all tables; ids without a row are not counted. */
  public int size() {
    int size = 0;
    for (RowSet set : sets) {
      for (int i = 0; i < set.size(); i++) {
        size += set.kind(i) == RowKind.ROW ? 1 : 0;
      }
    }
    return size;
  }

  /** Returns whether every number of every row is finite, neither infinite nor NaN. */
  public boolean finite() {
    return sets.stream().allMatch(RowSet::finite);
  }

  @Override
  public void fill(IdLists ids, float[] input, int at) {
    int first = placed.from(ids);
    int wideAt = at + plan.wideFrom();
    for (int f = 0; f < plan.features().size(); f++) {
      EmbeddingPlan.Feature feature = plan.features().get(f);
      EmbeddingPlan.Table table = plan.tables().get(feature.table());
      RowSet set = sets.get(feature.table());
      float[] values = set.values();
      int vector = table.vector();
      int wide = table.wide();
      float share = feature.pooling().share(ids, f);
      int end = ids.to(f);
      sum.begin(input, at + feature.from(), vector);
      for (int use = ids.from(f); use < end; use++) {
        int row = set.at(row(set, ids, first, use));
        sum.add(values, row, share);
        if (wide > 0) {
          loops.add(values, row + vector, input, wideAt, wide, share);
        }
      }
      sum.end();
    }
  }

  /**
   * Returns the position, in its table's set, of the row that an id of a sample uses.
   *
   * @param first result of {@link PlacedUses#from} for the sample
   */
  private int row(RowSet set, IdLists ids, int first, int use) {
    return first == PlacedUses.NONE
        ? set.row(ids.key(use))
        : set.rowOf(placed.position(first + use));
  }

  /**
   * Updates each row that a mini-batch uses, once, with the sum of the gradients of all its uses.
   *
   * @param samples samples of the mini-batch
   * @param errors the gradient of the loss with respect to the values of {@link #fill}; shape
   *     [samples, columns]
   * @throws IllegalStateException if the rows were gathered for predictions
   */
  public void update(List<IdLists> samples, float[] errors) {
    if (!trains) {
      throw new IllegalStateException(
          "these rows were gathered for predictions, without updater state");
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
    boolean wide = plan.tables().get(table).wide() > 0;
    int uses = uses(samples, table);
    if (rowOfUse.length < uses) {
      rowOfUse = new int[uses];
      vectorOfUse = new int[uses];
      shareOfUse = new float[uses];
    }
    if (wide && wideOfUse.length < uses) {
      wideOfUse = new int[uses];
    }
    int at = 0;
    for (int sample = 0; sample < samples.size(); sample++) {
      IdLists ids = samples.get(sample);
      int first = placed.from(ids);
      int errors = sample * plan.width();
      for (int f : featuresOfTable[table]) {
        EmbeddingPlan.Feature feature = plan.features().get(f);
        float share = feature.pooling().share(ids, f);
        int end = ids.to(f);
        for (int use = ids.from(f); use < end; use++) {
          rowOfUse[at] = row(set, ids, first, use);
          vectorOfUse[at] = errors + feature.from();
          shareOfUse[at] = share;
          if (wide) {
            wideOfUse[at] = errors + plan.wideFrom();
          }
          at++;
        }
      }
    }
    return uses;
  }

  private void update(int index, float[] errors) {
    EmbeddingPlan.Table table = plan.tables().get(index);
    RowSet set = sets.get(index);
    RowStep step = steps.get(index);
    int vector = table.vector();
    int wide = table.wide();
    float[] gradient = new float[vector + wide];
    for (int ordinal = 0; ordinal < unique.count(); ordinal++) {
      Arrays.fill(gradient, 0);
      sum.begin(gradient, 0, vector);
      int end = unique.to(ordinal);
      for (int i = unique.from(ordinal); i < end; i++) {
        int use = unique.use(i);
        float share = shareOfUse[use];
        sum.add(errors, vectorOfUse[use], share);
        if (wide > 0) {
          loops.add(errors, wideOfUse[use], gradient, vector, wide, share);
        }
      }
      sum.end();
      int position = unique.row(ordinal);
      step.apply(set.values(), set.at(position), gradient, set.step(position));
    }
  }
}
