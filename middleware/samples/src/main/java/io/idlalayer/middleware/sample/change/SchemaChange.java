package io.idlalayer.middleware.sample.change;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The difference between the features and classes of two schemas, and whether samples that were
 * stored with one schema can be used with the other. A feature is identified by its name and a
 * class by its text. Features and classes can be added, removed or moved to another place. An array
 * can get more or fewer numbers, and an event can get more ids. The texts of missing values, and
 * their effect, can change. Keys and weights, and the name and task of the label, are not compared.
 * Immutable.
 */
public final class SchemaChange {
  private final ColumnMap dense;
  private final ColumnMap categorical;
  private final ColumnMap oneHots;
  private final ColumnMap ids;
  private final ColumnMap classes;
  private final List<String> changes;
  private final List<String> refusals;

  private SchemaChange(
      ColumnMap dense,
      ColumnMap categorical,
      ColumnMap oneHots,
      ColumnMap ids,
      ColumnMap classes,
      List<String> changes,
      List<String> refusals) {
    this.dense = dense;
    this.categorical = categorical;
    this.oneHots = oneHots;
    this.ids = ids;
    this.classes = classes;
    this.changes = List.copyOf(changes);
    this.refusals = List.copyOf(refusals);
  }

  /** Returns the conversion of samples of one schema to samples of another schema. */
  public static SchemaChange between(SampleSchema before, SampleSchema now) {
    return new Comparison(before, now).result();
  }

  /** Returns whether both schemas have the same features and classes in the same order. */
  public boolean isNone() {
    return changes.isEmpty() && refusals.isEmpty();
  }

  /**
   * Returns why stored samples cannot be used with the new schema, one sentence for each reason;
   * each begins with a key of the application file. Empty if they can be used.
   */
  public List<String> refusals() {
    return refusals;
  }

  /**
   * Returns the changes as a text, such as {@code added feature c; removed feature a}; "" if there
   * are none.
   */
  public String describe() {
    return String.join("; ", changes);
  }

  /** Returns the map of the dense values of samples. */
  public ColumnMap dense() {
    return dense;
  }

  /** Returns the map of the categorical features of samples. */
  public ColumnMap categorical() {
    return categorical;
  }

  /** Returns the map of the one-hot columns of the categorical features. */
  public ColumnMap oneHots() {
    return oneHots;
  }

  /** Returns the map of the id features of samples. */
  public ColumnMap ids() {
    return ids;
  }

  /** Returns the map of the classes; a map without columns if there are no classes. */
  public ColumnMap classes() {
    return classes;
  }

  /**
   * Returns the label after the change; {@link Sample#NO_LABEL} if its class no longer exists.
   *
   * @param label a label before the change
   */
  public double label(double label) {
    if (classes.isUnchanged() || Double.isNaN(label)) {
      return label;
    }
    for (int i = 0; i < classes.after(); i++) {
      if (classes.source(i) == (int) label) {
        return i;
      }
    }
    return Sample.NO_LABEL;
  }

  private static final class Comparison {
    private final SampleSchema before;
    private final SampleSchema now;
    private final List<String> added = new ArrayList<>();
    private final List<String> resized = new ArrayList<>();
    private final List<String> reread = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();
    private int kept;
    private boolean reordered;

    Comparison(SampleSchema before, SampleSchema now) {
      this.before = before;
      this.now = now;
    }

    SchemaChange result() {
      List<String> removed = new ArrayList<>();
      ColumnMap dense = dense(removed);
      List<Integer> sources = new ArrayList<>();
      ColumnMap oneHots = oneHots(removed, sources);
      ColumnMap categorical =
          new ColumnMap(
              before.categorical().size(), sources.stream().mapToInt(Integer::intValue).toArray());
      ColumnMap ids = ids(removed);
      boolean anyBefore =
          !before.dense().isEmpty() || !before.categorical().isEmpty() || !before.ids().isEmpty();
      if (anyBefore && kept == 0) {
        refusals.add(
            "input.features: none of the features from before is left, so nothing that was learned"
                + " could be used");
      }
      List<String> changes = new ArrayList<>();
      changes.addAll(NameLists.counted("added feature", "added features", added));
      changes.addAll(NameLists.counted("removed feature", "removed features", removed));
      changes.addAll(resized);
      if (!reread.isEmpty()) {
        changes.add("other missing values of " + NameLists.abridged(reread));
      }
      if (reordered) {
        changes.add("other order of features");
      }
      ClassChange classes = ClassChange.between(before.label(), now.label());
      changes.addAll(classes.changes());
      refusals.addAll(classes.refusals());
      return new SchemaChange(
          dense, categorical, oneHots, ids, classes.classes(), changes, refusals);
    }

    private ColumnMap dense(List<String> removed) {
      Map<String, Integer> places = new HashMap<>();
      Map<String, DenseFeature> old = new HashMap<>();
      int at = 0;
      for (DenseFeature feature : before.dense()) {
        places.put(feature.name(), at);
        old.put(feature.name(), feature);
        at += feature.values();
      }
      int[] sources = new int[now.denseWidth()];
      int to = 0;
      int last = -1;
      for (DenseFeature feature : now.dense()) {
        DenseFeature was = old.remove(feature.name());
        int same = was == null || !alike(was, feature) ? 0 : Math.min(was.width(), feature.width());
        int from = places.getOrDefault(feature.name(), 0);
        int values = feature.values();
        int mapped = same * (values / feature.width());
        for (int i = 0; i < values; i++) {
          sources[to++] = i < mapped ? from + i : ColumnMap.ADDED;
        }
        if (was == null) {
          added.add(feature.name());
          continue;
        }
        kept++;
        reordered |= from < last;
        last = from;
        if (was.width() != feature.width()) {
          resized.add(
              String.format(
                  Locale.ROOT,
                  "%d instead of %d numbers in %s",
                  feature.width(),
                  was.width(),
                  feature.name()));
        }
      }
      before.dense().stream()
          .map(DenseFeature::name)
          .filter(old::containsKey)
          .forEach(removed::add);
      return new ColumnMap(at, sources);
    }

    /**
     * Returns whether stored numbers have the same meaning with both features; records a refusal if
     * not.
     */
    private boolean alike(DenseFeature was, DenseFeature is) {
      if (was.scale() != is.scale()) {
        refusals.add(
            String.format(
                Locale.ROOT,
                "input.features: scale of %s: %s before, %s now: stored samples have the scaled"
                    + " numbers",
                is.name(),
                was.scale(),
                is.scale()));
        return false;
      }
      SampleSchema.Reading before = was.reading();
      SampleSchema.Reading now = is.reading();
      if (before.indicator() != now.indicator() || !before.time().equals(now.time())) {
        refusals.add(
            String.format(
                Locale.ROOT,
                "input.features: %s is read in another way (missing-indicator, time): stored"
                    + " samples have what was read before",
                is.name()));
        return false;
      }
      if (!before.equals(now)) {
        reread.add(is.name());
      }
      return true;
    }

    /**
     * @param sources receives the source of each categorical feature
     */
    private ColumnMap oneHots(List<String> removed, List<Integer> sources) {
      Map<String, Integer> places = new HashMap<>();
      int[] offsets = new int[before.categorical().size() + 1];
      for (int i = 0; i < before.categorical().size(); i++) {
        places.put(before.categorical().get(i).name(), i);
        offsets[i + 1] = offsets[i] + before.categorical().get(i).buckets();
      }
      List<Integer> columns = new ArrayList<>();
      int last = -1;
      for (CategoricalFeature feature : now.categorical()) {
        Integer place = places.remove(feature.name());
        if (place == null) {
          added.add(feature.name());
        } else {
          kept++;
          reordered |= place < last;
          last = place;
        }
        boolean stays = place != null && alike(before.categorical().get(place), feature);
        sources.add(stays ? place : ColumnMap.ADDED);
        for (int i = 0; i < feature.buckets(); i++) {
          columns.add(stays ? offsets[place] + i : ColumnMap.ADDED);
        }
      }
      before.categorical().stream()
          .map(CategoricalFeature::name)
          .filter(places::containsKey)
          .forEach(removed::add);
      return new ColumnMap(
          offsets[offsets.length - 1], columns.stream().mapToInt(Integer::intValue).toArray());
    }

    private boolean alike(CategoricalFeature was, CategoricalFeature is) {
      if (was.buckets() == is.buckets()) {
        return true;
      }
      refusals.add(
          String.format(
              Locale.ROOT,
              "input.categorical: buckets of %s: %d before, %d now: stored samples have the bucket"
                  + " of a value and not the value, which another number of buckets would need",
              is.name(),
              was.buckets(),
              is.buckets()));
      return false;
    }

    private ColumnMap ids(List<String> removed) {
      Map<String, Integer> places = new HashMap<>();
      for (int i = 0; i < before.ids().size(); i++) {
        places.put(before.ids().get(i).name(), i);
      }
      int[] sources = new int[now.ids().size()];
      int last = -1;
      for (int i = 0; i < sources.length; i++) {
        IdFeature feature = now.ids().get(i);
        Integer place = places.remove(feature.name());
        if (place == null) {
          added.add(feature.name());
          sources[i] = ColumnMap.ADDED;
          continue;
        }
        kept++;
        reordered |= place < last;
        last = place;
        sources[i] = alike(before.ids().get(place), feature) ? place : ColumnMap.ADDED;
      }
      before.ids().stream().map(IdFeature::name).filter(places::containsKey).forEach(removed::add);
      return new ColumnMap(before.ids().size(), sources);
    }

    /**
     * Returns whether stored ids have the same meaning with both features; records a refusal if
     * not.
     */
    private boolean alike(IdFeature was, IdFeature is) {
      if (was.mostIds() < is.mostIds()) {
        resized.add(
            String.format(
                Locale.ROOT,
                "at most %d instead of %d ids in %s",
                is.mostIds(),
                was.mostIds(),
                is.name()));
      } else if (was.mostIds() > is.mostIds()) {
        refusals.add(
            String.format(
                Locale.ROOT,
                "input.ids: at-most of %s: %d before, %d now: stored samples may have more ids",
                is.name(),
                was.mostIds(),
                is.mostIds()));
        return false;
      }
      if (!was.index().equals(is.index())) {
        refusals.add(
            String.format(
                Locale.ROOT,
                "embeddings.tables: the ids of %s would find other rows, because rows, index or id-key has changed: stored samples have the row of an id and not the id",
                is.name()));
        return false;
      }
      return true;
    }
  }

  @Override
  public String toString() {
    return "SchemaChange[" + describe() + ", refused " + refusals + "]";
  }
}
