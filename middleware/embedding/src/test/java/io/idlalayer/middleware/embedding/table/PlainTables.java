package io.idlalayer.middleware.embedding.table;

import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.IdLists;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Tables as plain arrays, for tests: all keys from 0 on have their place, nothing moves, and each
 * weight is computed by the formula of its updater, one after the other. Every id gets its row at
 * its first time.
 */
final class PlainTables {
  private final EmbeddingPlan plan;
  private final RowRule rule;
  private final int keys;
  private final float[][] values;
  private final boolean[][] alive;
  private final int[][] occurrences;
  private final int[][] steps;
  private final long[][] lastUse;

  PlainTables(EmbeddingPlan plan, RowRule rule, int keys) {
    this.plan = plan;
    this.rule = rule;
    this.keys = keys;
    int tables = plan.tables().size();
    values = new float[tables][];
    for (int table = 0; table < tables; table++) {
      values[table] = new float[keys * stride(table)];
    }
    alive = new boolean[tables][keys];
    occurrences = new int[tables][keys];
    steps = new int[tables][keys];
    lastUse = new long[tables][keys];
    for (boolean[] each : alive) {
      each[(int) IdLists.UNKNOWN] = true;
    }
  }

  /** An independent copy. */
  PlainTables(PlainTables other) {
    this(other.plan, other.rule, other.keys);
    copy(other);
  }

  private void copy(PlainTables other) {
    for (int table = 0; table < values.length; table++) {
      System.arraycopy(other.values[table], 0, values[table], 0, values[table].length);
      System.arraycopy(other.alive[table], 0, alive[table], 0, keys);
      System.arraycopy(other.occurrences[table], 0, occurrences[table], 0, keys);
      System.arraycopy(other.steps[table], 0, steps[table], 0, keys);
      System.arraycopy(other.lastUse[table], 0, lastUse[table], 0, keys);
    }
  }

  private int stride(int table) {
    return plan.tables().get(table).layout().stride();
  }

  /** Rows of ids. */
  long rows() {
    long rows = 0;
    for (boolean[] table : alive) {
      for (int key = 2; key < keys; key++) {
        rows += table[key] ? 1 : 0;
      }
    }
    return rows;
  }

  boolean has(int table, long key) {
    return alive[table][(int) key];
  }

  long lastUse(int table, long key) {
    return lastUse[table][(int) key];
  }

  int occurrences(int table, long key) {
    return alive[table][(int) key] ? occurrences[table][(int) key] : 0;
  }

  /** The row was deleted; it stays with its numbers for a training that has begun with them. */
  void delete(int table, long key) {
    alive[table][(int) key] = false;
  }

  /** What a training with these samples begins with. */
  PlainTables begin(List<IdLists> fresh, List<IdLists> replayed) {
    PlainTables copy = new PlainTables(this);
    for (IdLists ids : fresh) {
      copy.begin(ids, true);
    }
    for (IdLists ids : replayed) {
      copy.begin(ids, false);
    }
    return copy;
  }

  private void begin(IdLists ids, boolean fresh) {
    for (int f = 0; f < plan.features().size(); f++) {
      int table = plan.features().get(f).table();
      for (int use = ids.from(f); use < ids.to(f); use++) {
        int key = (int) ids.key(use);
        if (!alive[table][key] && (fresh || key == IdLists.MISSING)) {
          begin(table, key);
        }
        occurrences[table][key] += fresh ? 1 : 0;
      }
    }
  }

  private void begin(int table, int key) {
    int at = key * stride(table);
    Arrays.fill(values[table], at, at + stride(table), 0);
    long bits = rule.seed() ^ plan.tables().get(table).rowKey(key);
    for (int i = 0; i < plan.tables().get(table).vector(); i++) {
      bits += BitMixer.GOLDEN_RATIO;
      double unit = (BitMixer.splitMix(bits) >>> 11) * 0x1p-53;
      values[table][at + i] = (float) ((2 * unit - 1) * rule.initialScale());
    }
    alive[table][key] = true;
    occurrences[table][key] = 0;
    steps[table][key] = 0;
  }

  private int row(int table, long key) {
    return alive[table][(int) key] ? (int) key : (int) IdLists.UNKNOWN;
  }

  private float share(IdLists ids, int feature) {
    int count = ids.to(feature) - ids.from(feature);
    return plan.features().get(feature).pooling() == IdPooling.MEAN ? 1f / count : 1f;
  }

  /** One mini-batch. */
  void step(List<IdLists> samples, float[] errors) {
    for (int table = 0; table < values.length; table++) {
      int vector = plan.tables().get(table).vector();
      int weights = plan.tables().get(table).layout().weights();
      float[] gradients = new float[keys * weights];
      List<Integer> used = new ArrayList<>();
      for (int sample = 0; sample < samples.size(); sample++) {
        IdLists ids = samples.get(sample);
        for (int f = 0; f < plan.features().size(); f++) {
          EmbeddingPlan.Feature feature = plan.features().get(f);
          for (int use = ids.from(f); use < ids.to(f) && feature.table() == table; use++) {
            int row = row(table, ids.key(use));
            if (!used.contains(row)) {
              used.add(row);
            }
            for (int i = 0; i < weights; i++) {
              int column = i < vector ? feature.from() + i : plan.wideFrom() + i - vector;
              gradients[row * weights + i] +=
                  share(ids, f) * errors[sample * plan.width() + column];
            }
          }
        }
      }
      for (int row : used) {
        float[] gradient = Arrays.copyOfRange(gradients, row * weights, (row + 1) * weights);
        update(table, row, gradient);
      }
    }
  }

  private void update(int table, int row, float[] gradient) {
    RowLayout layout = plan.tables().get(table).layout();
    int count = layout.weights();
    float[] all = values[table];
    int at = row * stride(table);
    int step = ++steps[table][row];
    float rate = (float) rule.learningRate();
    switch (layout.updater()) {
      case SGD -> {}
      case ADAGRAD -> {}
      case ROW_WISE_ADAGRAD -> {
        float squares = 0;
        for (float g : gradient) {
          squares += g * g;
        }
        all[at + count] += squares / count;
        rate = rate / ((float) Math.sqrt(all[at + count]) + 1e-6f);
      }
      case ADAM ->
          rate =
              (float)
                  (rule.learningRate()
                      * Math.sqrt(1 - Math.pow(0.999, step))
                      / (1 - Math.pow(0.9, step)));
    }
    for (int i = 0; i < count; i++) {
      float g = gradient[i];
      switch (layout.updater()) {
        case SGD, ROW_WISE_ADAGRAD -> all[at + i] -= rate * g;
        case ADAGRAD -> {
          all[at + count + i] += g * g;
          all[at + i] -= rate * g / ((float) Math.sqrt(all[at + count + i]) + 1e-6f);
        }
        case ADAM -> {
          int mean = at + count + i;
          int spread = mean + count;
          all[mean] = (float) 0.9 * all[mean] + (float) (1 - 0.9) * g;
          all[spread] = (float) 0.999 * all[spread] + (float) (1 - 0.999) * g * g;
          all[at + i] -= rate * all[mean] / ((float) Math.sqrt(all[spread]) + 1e-8f);
        }
      }
    }
  }

  /**
   * The training is accepted.
   *
   * @param samples all of them
   * @param trained made by {@link #begin}
   */
  void commit(List<IdLists> samples, PlainTables trained, long nowSeconds) {
    for (int table = 0; table < values.length; table++) {
      boolean[] used = new boolean[keys];
      for (IdLists ids : samples) {
        for (int f = 0; f < plan.features().size(); f++) {
          for (int use = ids.from(f); use < ids.to(f); use++) {
            used[trained.row(table, ids.key(use))] |= plan.features().get(f).table() == table;
          }
        }
      }
      for (int key = 0; key < keys; key++) {
        if (used[key]) {
          int at = key * stride(table);
          System.arraycopy(trained.values[table], at, values[table], at, stride(table));
          alive[table][key] = true;
          occurrences[table][key] = trained.occurrences[table][key];
          steps[table][key] = trained.steps[table][key];
          lastUse[table][key] = nowSeconds;
        }
      }
    }
  }

  /** The columns of samples. */
  float[] columns(List<IdLists> samples) {
    float[] input = new float[samples.size() * plan.width()];
    for (int sample = 0; sample < samples.size(); sample++) {
      IdLists ids = samples.get(sample);
      for (int f = 0; f < plan.features().size(); f++) {
        EmbeddingPlan.Feature feature = plan.features().get(f);
        EmbeddingPlan.Table table = plan.tables().get(feature.table());
        for (int use = ids.from(f); use < ids.to(f); use++) {
          int at = row(feature.table(), ids.key(use)) * stride(feature.table());
          for (int i = 0; i < table.layout().weights(); i++) {
            int vector = table.vector();
            int column = i < vector ? feature.from() + i : plan.wideFrom() + i - vector;
            input[sample * plan.width() + column] +=
                share(ids, f) * values[feature.table()][at + i];
          }
        }
      }
    }
    return input;
  }
}
