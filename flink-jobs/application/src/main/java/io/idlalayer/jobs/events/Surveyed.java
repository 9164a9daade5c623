package io.idlalayer.jobs.events;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The findings about the events of an input: all events since the end of the previous input, or
 * since the first event. Lists are bounded, see {@link #MOST}. If there are many different entries,
 * the counts in lists can be too low.
 *
 * @param events number of events, including refused events
 * @param refused number of events that could not be decoded
 * @param labelled number of decoded events after which there was a sample with features and a label
 * @param labels number of decoded events with a label, whether or not the event of the label came
 * @param labelsOnly number of decoded events that were the label of another event, without features
 * @param lostOffsets offsets of the input that were lost before they were read
 * @param quarantined new samples that were given up because their trainings failed
 * @param refusals kinds of reasons for which events were refused, the commonest first
 * @param strangeLabels labels of refused events that are no class, or that are numbers which
 *     several classes have, the commonest first
 * @param undeclared names of undeclared fields in events that lack a declared field, the commonest
 *     first
 * @param missing declared fields that no decoded event with features had, other than the label
 * @param constant declared fields with one value in all decoded events with features, other than
 *     the label
 * @param unseenClasses classes that no event had
 */
public record Surveyed(
    long events,
    long refused,
    long labelled,
    long labels,
    long labelsOnly,
    long lostOffsets,
    long quarantined,
    List<RefusedKind> refusals,
    List<NameCount> strangeLabels,
    List<NameCount> undeclared,
    NameList missing,
    ConstantFields constant,
    NameList unseenClasses) {
  /** Largest number of entries of a list. */
  public static final int MOST = 8;

  /** A survey without events. */
  public static final Surveyed NOTHING =
      new Surveyed(
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          List.of(),
          List.of(),
          List.of(),
          NameList.NONE,
          new ConstantFields(List.of(), 0),
          NameList.NONE);

  /**
   * A kind of reason for which events were refused: reasons that differ only in values and numbers
   * are of the same kind.
   *
   * @param reason the reason of the first event of this kind
   * @param count number of events
   * @param input topic and partition of the first event
   * @param offset offset of the first event
   * @param origin the place from which a producer read the first event; "" if unknown
   * @param example the beginning of the first event's text, escaped
   */
  public record RefusedKind(
      String reason, long count, String input, long offset, String origin, String example) {}

  /** How often a name came. */
  public record NameCount(String name, long count) {}

  /**
   * Names of fields or classes.
   *
   * @param names the first names, in the order of the application file
   * @param count number of all names
   */
  public record NameList(List<String> names, long count) {
    /** No names. */
    public static final NameList NONE = new NameList(List.of(), 0);
  }

  /**
   * Fields whose value never changed.
   *
   * @param first the first fields, in the order of the application file
   * @param count number of all such fields
   */
  public record ConstantFields(List<ConstantField> first, long count) {}

  /**
   * A field whose value never changed.
   *
   * @param value text that stands for the value; equal values have equal texts
   */
  public record ConstantField(String field, String value) {}

  /** Returns the number of decoded events. */
  public long decoded() {
    return events - refused;
  }

  /** Returns the number of decoded events that were more than the label of another event. */
  public long withFeatures() {
    return decoded() - labelsOnly;
  }

  /** Returns the survey of the events of two partitions of an input together. */
  public Surveyed plus(Surveyed other) {
    if (events == 0 && lostOffsets == 0) {
      return other;
    }
    if (other.events == 0 && other.lostOffsets == 0) {
      return this;
    }
    return new Surveyed(
        events + other.events,
        refused + other.refused,
        labelled + other.labelled,
        labels + other.labels,
        labelsOnly + other.labelsOnly,
        lostOffsets + other.lostOffsets,
        quarantined + other.quarantined,
        refusals(other),
        sum(strangeLabels, other.strangeLabels),
        sum(undeclared, other.undeclared),
        missing(other),
        constants(other),
        both(unseenClasses, other.unseenClasses, labels, other.labels));
  }

  private NameList missing(Surveyed other) {
    return both(missing, other.missing, withFeatures(), other.withFeatures());
  }

  private List<RefusedKind> refusals(Surveyed other) {
    List<RefusedKind> all = new ArrayList<>(refusals);
    all.addAll(other.refusals);
    all.sort(Comparator.comparingLong(RefusedKind::count).reversed());
    return List.copyOf(all.subList(0, Math.min(MOST, all.size())));
  }

  private static List<NameCount> sum(List<NameCount> one, List<NameCount> other) {
    Map<String, Long> sums = new LinkedHashMap<>();
    one.forEach(each -> sums.merge(each.name(), each.count(), Long::sum));
    other.forEach(each -> sums.merge(each.name(), each.count(), Long::sum));
    return sums.entrySet().stream()
        .map(each -> new NameCount(each.getKey(), each.getValue()))
        .sorted(Comparator.comparingLong(NameCount::count).reversed())
        .limit(MOST)
        .toList();
  }

  private static NameList both(NameList one, NameList other, long events, long others) {
    if (events == 0 || others == 0) {
      return events == 0 ? other : one;
    }
    List<String> names = one.names().stream().filter(other.names()::contains).toList();
    return new NameList(names, names.size());
  }

  private ConstantFields constants(Surveyed other) {
    if (withFeatures() == 0 || other.withFeatures() == 0) {
      return withFeatures() == 0 ? other.constant : constant;
    }
    List<ConstantField> equal =
        constant.first().stream().filter(other.constant.first()::contains).toList();
    return new ConstantFields(equal, equal.size());
  }
}
