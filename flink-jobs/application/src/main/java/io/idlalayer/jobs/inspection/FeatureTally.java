package io.idlalayer.jobs.inspection;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Counts the values of each feature of decoded events. Confined to one thread. */
final class FeatureTally {
  private static final int SHOWN_VALUES = 4;

  private final SampleSchema schema;
  private final List<Tally> tallies = new ArrayList<>();
  private long samples;

  /** The values of a feature so far. */
  private static final class Tally {
    final String name;
    final String encoding;
    String first = "";
    long missing;
    double least = Double.POSITIVE_INFINITY;
    double most = Double.NEGATIVE_INFINITY;
    final Set<Long> values = new HashSet<>();

    Tally(String name, String encoding) {
      this.name = name;
      this.encoding = encoding;
    }
  }

  /**
   * @param scaled whether the numbers are scaled before the network
   * @param tables the tables of the id features, in words
   */
  FeatureTally(SampleSchema schema, boolean scaled, List<String> tables) {
    this.schema = schema;
    for (DenseFeature each : schema.dense()) {
      tallies.add(new Tally(each.name(), encoding(each, scaled)));
    }
    schema
        .categorical()
        .forEach(it -> tallies.add(new Tally(it.name(), it.buckets() + " columns, one of them 1")));
    for (int i = 0; i < schema.ids().size(); i++) {
      tallies.add(new Tally(schema.ids().get(i).name(), tables.get(i)));
    }
  }

  private static String encoding(DenseFeature feature, boolean scaled) {
    String of =
        feature.reading().time().isEmpty()
            ? feature.values() == 1 ? "a number" : feature.values() + " numbers"
            : feature.values() + " numbers of a time";
    return of
        + (scaled ? ", scaled" : "")
        + switch (feature.reading().missing()) {
          case REFUSE -> "";
          case ZERO -> ", missing: 0";
          case MEAN -> ", missing: the mean";
        };
  }

  void add(Sample sample) {
    if (!sample.hasFeatures()) {
      return;
    }
    samples++;
    int at = 0;
    int from = 0;
    for (DenseFeature feature : schema.dense()) {
      dense(tallies.get(at++), sample, from, from + feature.values());
      from += feature.values();
    }
    for (int i = 0; i < schema.categorical().size(); i++) {
      int bucket = sample.categorical()[i];
      Tally tally = tallies.get(at++);
      tally.first = tally.first.isEmpty() ? "column " + bucket : tally.first;
      tally.missing += bucket == 0 ? 1 : 0;
      tally.values.add((long) bucket);
    }
    IdLists ids = sample.ids();
    for (int i = 0; i < schema.ids().size(); i++) {
      ids(tallies.get(at++), ids, ids.from(i), ids.to(i));
    }
  }

  private void dense(Tally tally, Sample sample, int from, int to) {
    if (sample.absent().at(from) || Double.isNaN(sample.dense()[from])) {
      tally.missing++;
      return;
    }
    if (tally.first.isEmpty()) {
      StringBuilder first = new StringBuilder();
      for (int i = from; i < Math.min(to, from + SHOWN_VALUES); i++) {
        first.append(i > from ? ", " : "").append(shown(sample.dense()[i]));
      }
      tally.first = first + (to - from > SHOWN_VALUES ? ", ..." : "");
    }
    for (int i = from; i < to; i++) {
      tally.least = Math.min(tally.least, sample.dense()[i]);
      tally.most = Math.max(tally.most, sample.dense()[i]);
    }
  }

  private static void ids(Tally tally, IdLists ids, int from, int to) {
    boolean any = false;
    for (int i = from; i < to; i++) {
      if (ids.key(i) != IdLists.MISSING) {
        any = true;
        tally.values.add(ids.key(i));
      }
    }
    tally.missing += any ? 0 : 1;
    if (any && tally.first.isEmpty()) {
      tally.first = to - from == 1 ? "a row" : (to - from) + " rows";
    }
  }

  /** Returns how many different ids of a feature came. */
  long idsOf(int feature) {
    return tallies.get(schema.dense().size() + schema.categorical().size() + feature).values.size();
  }

  /** Returns a line for each feature: encoding, first event, share of missing values, range. */
  List<String> lines(int most) {
    List<String> lines = new ArrayList<>();
    for (Tally each : tallies.subList(0, Math.min(most, tallies.size()))) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %-20s %-34s first: %s; %s%s",
              Shown.escaped(each.name),
              each.encoding,
              each.first.isEmpty() ? "never" : each.first,
              range(each),
              each.missing == 0
                  ? ""
                  : String.format(
                      Locale.ROOT, "; missing in %.3g %%", 100.0 * each.missing / samples)));
    }
    if (tallies.size() > most) {
      lines.add(String.format(Locale.ROOT, "  and %,d more", tallies.size() - most));
    }
    return lines;
  }

  private static String range(Tally tally) {
    if (!tally.values.isEmpty()) {
      return String.format(
          Locale.ROOT,
          "%,d different value%s",
          tally.values.size(),
          tally.values.size() == 1 ? "" : "s");
    }
    if (tally.least > tally.most) {
      return "no value";
    }
    return tally.least == tally.most
        ? "always " + shown(tally.least)
        : shown(tally.least) + " to " + shown(tally.most);
  }

  private static String shown(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? String.format(Locale.ROOT, "%d", (long) value)
        : String.format(Locale.ROOT, "%.5g", value);
  }
}
