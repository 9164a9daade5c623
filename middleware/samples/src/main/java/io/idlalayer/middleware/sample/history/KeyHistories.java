package io.idlalayer.middleware.sample.history;

import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.SchemaChange;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The histories of the keys of a stream. When an event arrives, it gets the known facts about its
 * key as context, and is then added to the history of the key. Labels are added when they come, in
 * the order of their events, so a context never has a label that was not yet known. The number of
 * keys is bounded; if there are too many, the key without an event for the longest time is removed.
 * Does nothing if the schema has no history. Confined to one thread.
 */
public final class KeyHistories {
  /** The key of all events if events have no field for a key. */
  private static final long ONLY_KEY = 1;

  /** An object without histories, which ignores all events. */
  public static final KeyHistories NONE =
      new KeyHistories(
          new SampleSchema(
              List.of(),
              List.of(),
              List.of(),
              new SampleSchema.Label("", SampleSchema.Task.REGRESSION, List.of()),
              null));

  private static final double[] NOTHING = {};
  private static final StateFormat FORMAT = StateFormat.first("key histories");
  private static final StateFormat KEY = StateFormat.first("key");

  private final SampleSchema schema;
  private final SampleSchema.@Nullable History history;

  /** The histories by key; the key without an event for the longest time comes first. */
  private final Map<Long, KeyHistory> keys = new LinkedHashMap<>();

  private long lastOrder;
  private long evicted;

  public KeyHistories(SampleSchema schema) {
    this.schema = schema;
    history = schema.history();
  }

  /** Returns whether histories are kept. */
  public boolean kept() {
    return history != null;
  }

  /** Returns whether a sample has features but lacks the key whose history it needs. */
  public boolean lacksKey(Sample sample) {
    return schema.lacksKey(sample);
  }

  /** Returns the present number of keys with a history. */
  public int size() {
    return keys.size();
  }

  /** Returns the number of keys whose histories were removed because there were too many. */
  public long evicted() {
    return evicted;
  }

  /**
   * Returns an arriving event with the present context of its key. Changes nothing: {@link
   * #remember} must follow before the next event.
   */
  public Sample inContext(Sample event) {
    SampleSchema.History of = history;
    if (of == null) {
      return event;
    }
    long key = of.key() == null ? ONLY_KEY : event.context().key();
    KeyHistory known = keys.get(key);
    return event.withContext(new KeyContext(key, lastOrder + 1, values(of, known, event.dense())));
  }

  /** Adds an event that has just got its context to the history, with its label if it has one. */
  public void remember(Sample event) {
    SampleSchema.History of = history;
    if (of == null) {
      return;
    }
    KeyContext context = event.context();
    lastOrder = context.order();
    KeyHistory known = keys.remove(context.key());
    if (known == null) {
      known = new KeyHistory(of.labels());
      if (keys.size() >= of.keys()) {
        keys.remove(keys.keySet().iterator().next());
        evicted++;
      }
    }
    keys.put(context.key(), known);
    changed(event);
  }

  /**
   * Updates the label and the values of an event with a context, after a later event with its id
   * has brought or replaced them.
   */
  public void changed(Sample event) {
    SampleSchema.History of = history;
    KeyHistory known = of == null ? null : keys.get(event.context().key());
    if (of == null || known == null) {
      return;
    }
    known.event(event.context().order(), of.changes() ? event.dense() : NOTHING);
    if (event.labeled()) {
      known.label(event.context().order(), event.label());
    }
  }

  /**
   * Forgets the label of an event. Labels that it had displaced from the history do not come back.
   */
  public void labelTaken(Sample event) {
    KeyHistory known = keys.get(event.context().key());
    if (known != null) {
      known.forget(event.context().order());
    }
  }

  private double[] values(SampleSchema.History of, @Nullable KeyHistory known, double[] dense) {
    double[] values = new double[schema.contextWidth()];
    boolean target = schema.label().task() == SampleSchema.Task.REGRESSION;
    int width = schema.labelWidth();
    for (int i = 0; i < of.labels(); i++) {
      double label = known != null && i < known.labels() ? known.label(i) : Double.NaN;
      boolean labelled = !Double.isNaN(label);
      if (target) {
        values[i * width] = label;
        values[i * width + 1] = labelled ? 1 : 0;
      } else if (labelled) {
        values[i * width + (int) label] = 1;
      }
    }
    int at = of.labels() * width;
    if (of.changes()) {
      double[] last = known == null ? NOTHING : known.lastDense();
      for (int i = 0; i < dense.length; i++) {
        values[at + i] = last.length == dense.length ? change(last[i], dense[i]) : Double.NaN;
      }
    }
    return values;
  }

  /**
   * Returns the change of a number; NaN if there is no change, or if it is not finite in 32 bits.
   */
  private static double change(double before, double now) {
    double change = now - before;
    return Float.isFinite((float) change) ? change : Double.NaN;
  }

  /** Returns the whole state as bytes for {@link #restore}; empty if no histories are kept. */
  public byte[] snapshot() {
    StateWriter out = FORMAT.writer().putLong(1, lastOrder).putLong(2, evicted);
    List<byte[]> all = new ArrayList<>(keys.size());
    keys.forEach(
        (key, known) ->
            all.add(
                KEY.writer()
                    .putLong(1, key)
                    .putLong(2, known.lastOrder())
                    .putDoubles(3, known.lastDense())
                    .putLongs(4, known.knownOrders())
                    .putDoubles(5, known.knownLabels())
                    .bytes()));
    return out.putList(3, all).bytes();
  }

  /**
   * Replaces all histories by the histories in a snapshot. If fewer keys are kept than before, the
   * keys without an event for the longest time are removed.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  public void restore(byte[] snapshot) {
    SampleSchema.History of = history;
    if (of == null) {
      return;
    }
    StateReader in = FORMAT.reader(snapshot);
    lastOrder = in.getLong(1);
    evicted = in.getLong(2);
    keys.clear();
    List<byte[]> all = in.getList(3);
    int over = Math.max(0, all.size() - of.keys());
    evicted += over;
    for (byte[] each : all.subList(over, all.size())) {
      restoreKey(KEY.reader(each), of.labels());
    }
  }

  /**
   * Converts the remembered dense values and labels of all keys to the columns and classes of a
   * changed schema; called after {@link #restore}. The change of a new column is unknown, and
   * labels of removed classes are forgotten.
   *
   * @param change the change of the schema
   */
  public void changed(SchemaChange change) {
    ColumnMap dense = change.dense();
    double[] unknown = new double[dense.after()];
    Arrays.fill(unknown, Double.NaN);
    for (KeyHistory known : keys.values()) {
      if (known.lastDense().length == dense.before()) {
        known.event(known.lastOrder(), dense.mapped(known.lastDense(), unknown));
      }
      long[] orders = known.knownOrders();
      double[] labels = known.knownLabels();
      for (int i = 0; i < orders.length; i++) {
        double label = change.label(labels[i]);
        if (Double.isNaN(label)) {
          known.forget(orders[i]);
        } else {
          known.label(orders[i], label);
        }
      }
    }
  }

  private void restoreKey(StateReader in, int labels) {
    KeyHistory known = new KeyHistory(labels);
    double[] dense = in.getDoubles(3);
    long[] orders = in.getLongs(4);
    double[] values = in.getDoubles(5);
    if (orders.length != values.length) {
      throw in.refused(
          String.format(Locale.ROOT, "%d orders and %d labels", orders.length, values.length));
    }
    known.event(in.getLong(2), dense);
    for (int i = 0; i < orders.length; i++) {
      known.label(orders[i], values[i]);
    }
    keys.put(in.getLong(1), known);
  }
}
