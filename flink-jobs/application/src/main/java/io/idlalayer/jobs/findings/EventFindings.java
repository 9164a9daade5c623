package io.idlalayer.jobs.findings;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.survey.EventSurvey;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.format.ClassNames;
import io.idlalayer.middleware.sample.path.FieldPath;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.LookAlikes;
import io.idlalayer.middleware.sample.text.NearWord;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Selects the findings about the events of an input that users should know, and describes them in
 * sentences.
 */
public final class EventFindings {
  private static final int REASONS = 3;
  private static final int NAMES = 3;

  /** Fewest events after which a field whose value never changed is reported. */
  private static final long CONSTANT_EVENTS = 1_000;

  /** Fewest labels, in all and for each class, after which a class that never came is named. */
  private static final long UNSEEN_LABELS = 20;

  private static final long UNSEEN_LABELS_OF_CLASS = 10;

  private final Surveyed found;
  private final ApplicationSettings.Input input;
  private final SampleSchema.Label label;
  private final List<SampleSchema.DenseFeature> dense;
  private final @Nullable String id;
  private final SampleSchema.@Nullable Weight weight;
  private final ApplicationSettings.Format format;
  private final ClassNames classes;
  private final List<String> lines = new ArrayList<>();

  private EventFindings(Surveyed found, ApplicationSettings.Input input) {
    this.found = found;
    this.input = input;
    label = input.schema().label();
    dense = input.schema().dense();
    id = input.schema().id();
    weight = input.schema().weight();
    format = input.format();
    classes =
        new ClassNames(
            label,
            format == ApplicationSettings.Format.CSV
                ? input.text().notation()
                : NumberNotation.PLAIN);
  }

  /**
   * Returns the findings about events that were read, one sentence each, the worst first; empty if
   * there are none.
   */
  public static List<String> of(Surveyed found, ApplicationSettings.Input input) {
    return new EventFindings(found, input)
        .lines("were refused (%.1f %%); 'idla letters' prints them");
  }

  /** Returns the findings about events that are sent and not read yet. */
  public static List<String> ofSent(Surveyed found, ApplicationSettings.Input input) {
    return new EventFindings(found, input).lines("will be refused (%.1f %%)");
  }

  private List<String> lines(String refused) {
    refusals(refused);
    strangeLabels();
    labelsAlone();
    missing();
    unseenClasses();
    constants();
    return List.copyOf(lines);
  }

  private void add(String format, Object... values) {
    lines.add(String.format(Locale.ROOT, format, values));
  }

  private void refusals(String refused) {
    if (found.refused() == 0) {
      return;
    }
    add(
        "%,d of %,d events " + refused,
        found.refused(),
        found.events(),
        100.0 * found.refused() / found.events());
    for (Surveyed.RefusedKind each : found.refusals().stream().limit(REASONS).toList()) {
      if (each.count() > 0) {
        add(
            "%,d x %s%s; first %s: %s%s",
            each.count(),
            each.reason(),
            meant(each.reason()),
            place(each),
            each.example(),
            isHeader(each.example()) ? "; this is a header: say 'input.header: true'" : "");
      }
    }
  }

  /** Returns whether a refused row is the names of the columns, and no header is expected. */
  private boolean isHeader(String row) {
    if (format != ApplicationSettings.Format.CSV || input.header()) {
      return false;
    }
    try {
      return CsvRow.fields(row, input.text().delimiter()).stream()
          .map(String::strip)
          .toList()
          .equals(input.schema().columns());
    } catch (MalformedSampleException otherRow) {
      return false;
    }
  }

  /**
   * Returns a question such as "was another name meant?" if a declared field is missing in a
   * refused event.
   */
  private String meant(String reason) {
    int end = reason.indexOf(": missing");
    return end < 0 ? "" : meantInstead(reason.substring(0, end));
  }

  private static String place(Surveyed.RefusedKind refusal) {
    if (refusal.offset() < 0) {
      return "in " + refusal.origin();
    }
    String position = refusal.input() + ", offset " + refusal.offset();
    return refusal.origin().isEmpty()
        ? "at " + position
        : "in " + refusal.origin() + " (" + position + ")";
  }

  private void strangeLabels() {
    List<Surveyed.NameCount> strange = found.strangeLabels();
    if (strange.isEmpty() || label.classes().isEmpty()) {
      return;
    }
    List<Surveyed.NameCount> none = new ArrayList<>();
    long several = 0;
    for (Surveyed.NameCount each : strange) {
      List<String> meant = classes.meant(unquoted(each.name()));
      if (meant.isEmpty()) {
        none.add(each);
      } else if (meant.size() > 1) {
        several++;
        if (several <= NAMES) {
          add(
              "label %s as a number equals several classes, but is not written like any of them: %s; write"
                  + " labels as their classes are written%s",
              counted(each),
              ClassNames.shown(meant),
              format == ApplicationSettings.Format.JSON ? ", as texts" : "");
        }
      }
    }
    if (!none.isEmpty()) {
      add(
          "no class has the label%s %s%s; input.classes has %s%s%s",
          none.size() == 1 ? "" : "s",
          none.stream().limit(NAMES).map(EventFindings::counted).collect(Collectors.joining(", ")),
          none.size() > NAMES ? " and others" : "",
          names(label.classes(), label.classes().size()),
          countedFromOne(),
          meantClass(unquoted(none.get(0).name())));
    }
  }

  private static String counted(Surveyed.NameCount name) {
    return String.format(
        Locale.ROOT,
        "%s (%,d %s)",
        name.name(),
        name.count(),
        name.count() == 1 ? "event" : "events");
  }

  /** Returns the name without its quotes. */
  private static String unquoted(String quoted) {
    return Shown.unescaped(quoted.substring(1, Math.max(1, quoted.length() - 1)));
  }

  /** Returns a hint if the labels are 1 to k where the classes are 0 to k-1; else "". */
  private String countedFromOne() {
    int classes = label.classes().size();
    boolean numbered =
        label
            .classes()
            .equals(
                java.util.stream.IntStream.range(0, classes).mapToObj(Integer::toString).toList());
    String last = "'" + classes + "'";
    return numbered
            && found.unseenClasses().names().contains("0")
            && found.strangeLabels().stream().anyMatch(each -> each.name().equals(last))
        ? String.format(
            Locale.ROOT,
            "; labels that count from 1 need their names there: \"1\" to \"%d\"",
            classes)
        : "";
  }

  /** Returns a question that suggests the class whose name is similar to a label, or "". */
  private String meantClass(String word) {
    String near =
        word.chars().anyMatch(Character::isLetter) ? NearWord.of(word, label.classes()) : "";
    return near.isEmpty() ? "" : question(near, word);
  }

  /** Returns a question that suggests a name which is similar to another name. */
  private static String question(String near, String word) {
    return "; did you mean " + Shown.of(near) + LookAlikes.note(near, word) + "?";
  }

  /**
   * Adds the finding that all events were labels without features; possibly the names of their
   * fields differ.
   */
  private void labelsAlone() {
    if (found.labelsOnly() > 0 && found.withFeatures() == 0) {
      List<String> names = found.undeclared().stream().map(Surveyed.NameCount::name).toList();
      add(
          "none of %,d events had a feature, so all are labels of other events%s",
          found.labelsOnly(),
          names.isEmpty() ? "" : "; fields that are not declared: " + names(names, names.size()));
    }
  }

  private void missing() {
    if (found.withFeatures() == 0) {
      return;
    }
    Surveyed.NameList missing = withLabel(found.missing());
    List<String> plain = new ArrayList<>();
    for (String field : missing.names()) {
      String instead = meantInstead(field);
      if (instead.isEmpty() && weight != null && field.equals(weight.name())) {
        // It is possible that all events really have the default weight.
        continue;
      }
      if (instead.isEmpty()) {
        plain.add(field);
      } else {
        add(
            "field %s was in none of %,d events%s%s",
            Shown.of(field), found.withFeatures(), withFeatures(), instead);
      }
    }
    long others = missing.count() - missing.names().size() + plain.size();
    if (others > 0 && !plain.isEmpty()) {
      add(
          "%s %s %s of %,d events%s%s",
          others == 1 ? "field" : "fields",
          names(plain, others),
          format.namesFields() ? was(others) + " in none" : was(others) + " empty in all",
          found.withFeatures(),
          withFeatures(),
          events(plain));
    }
  }

  /** Returns, in words, which events are counted if other events were only labels. */
  private String withFeatures() {
    return found.labelsOnly() == 0 ? "" : " with features";
  }

  /** Returns the missing fields with the label, if it is missing too, before the id. */
  private Surveyed.NameList withLabel(Surveyed.NameList missing) {
    if (found.labels() > 0 || found.labelled() > 0) {
      return missing;
    }
    List<String> names = new ArrayList<>(missing.names());
    boolean idLast = !names.isEmpty() && names.get(names.size() - 1).equals(id);
    names.add(names.size() - (idLast ? 1 : 0), label.name());
    return new Surveyed.NameList(names, missing.count() + 1);
  }

  private static String was(long count) {
    return count == 1 ? "was" : "were";
  }

  /**
   * Returns a hint for a label that is missing in all events, with the names of the fields that
   * events have.
   */
  private String events(List<String> missing) {
    String instead =
        found.undeclared().isEmpty()
            ? ""
            : "; fields that are not declared: "
                + names(
                    found.undeclared().stream().map(Surveyed.NameCount::name).toList(),
                    found.undeclared().size());
    return (missing.contains(label.name()) ? ", so there is no label to learn from" : "") + instead;
  }

  /**
   * Returns a question that suggests a field which events have instead; "" if no name is similar.
   */
  private String meantInstead(String field) {
    List<String> names = found.undeclared().stream().map(Surveyed.NameCount::name).toList();
    Map<String, String> inside = new LinkedHashMap<>();
    for (String name : names) {
      FieldPath path = FieldPath.of(name);
      int last = path == null ? 0 : path.steps().size() - 1;
      if (path != null && path.steps().get(last) instanceof FieldPath.Step.Name step) {
        if (step.name().equals(field)) {
          return String.format(
              Locale.ROOT,
              ": it is inside of %s; its path is %s",
              Shown.of(path.beginning(last)),
              Shown.of(name));
        }
        inside.putIfAbsent(step.name(), name);
      }
    }
    String near = NearWord.of(field, names);
    if (!near.isEmpty()) {
      return question(near, field);
    }
    String path = inside.get(NearWord.of(field, inside.keySet()));
    return path == null ? "" : "; did you mean " + Shown.of(path) + "?";
  }

  private void unseenClasses() {
    long needed = Math.max(UNSEEN_LABELS, UNSEEN_LABELS_OF_CLASS * (long) label.classes().size());
    Surveyed.NameList unseen = found.unseenClasses();
    if (unseen.count() > 0 && found.labels() >= needed) {
      add(
          "%s %s never came in %,d labels",
          unseen.count() == 1 ? "class" : "classes",
          names(unseen.names(), unseen.count()),
          found.labels());
    }
  }

  private void constants() {
    Surveyed.ConstantFields constant = found.constant();
    List<String> names = new ArrayList<>();
    for (Surveyed.ConstantField each : constant.first()) {
      String instead = mayBeMissing(each) ? meantInstead(each.field()) : "";
      if (instead.isEmpty()) {
        names.add(each.field());
      } else {
        add(
            "field %s was in none of %,d events%s, or is 0 in all%s",
            Shown.of(each.field()), found.withFeatures(), withFeatures(), instead);
      }
    }
    long count = constant.count() - constant.first().size() + names.size();
    if (count > 0 && found.withFeatures() >= CONSTANT_EVENTS) {
      add(
          "%s %s %s one value in all %,d events%s, from which nothing can be learned",
          count == 1 ? "field" : "fields",
          names(names, count),
          count == 1 ? "has" : "have",
          found.withFeatures(),
          withFeatures());
    }
  }

  /** Returns whether the only value of a field is the zero that stands for a missing number. */
  private boolean mayBeMissing(Surveyed.ConstantField constant) {
    return format.namesFields()
        && dense.stream()
            .anyMatch(
                each ->
                    each.name().equals(constant.field())
                        && each.reading().missing() == SampleSchema.Missing.ZERO
                        && EventSurvey.isMissing(each, constant));
  }

  /** Returns the first names in quotes, and how many there are more. */
  private static String names(List<String> names, long count) {
    int shown = Math.min(NAMES, names.size());
    String text = names.stream().limit(shown).map(Shown::of).collect(Collectors.joining(", "));
    return count > shown
        ? String.format(Locale.ROOT, "%s and %,d more", text, count - shown)
        : text;
  }
}
