package io.idlalayer.jobs.proposal;

import io.idlalayer.middleware.sample.text.LookAlikes;
import io.idlalayer.middleware.sample.text.NearWord;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Chooses the field that a model should predict. */
final class LabelChoice {
  /** Names that are typical of labels. */
  private static final List<String> NAMES =
      List.of("label", "labels", "target", "class", "klass", "y", "outcome");

  /** Names of the most usual labels. */
  private static final List<String> USUAL =
      List.of(
          "click",
          "clicked",
          "isclick",
          "isclicked",
          "converted",
          "conversion",
          "fraud",
          "isfraud",
          "churn",
          "churned",
          "response",
          "survived",
          "spam",
          "isspam",
          "diagnosis",
          "species",
          "rating");

  private static final int FEW_VALUES = 50;
  private static final int SHOWN = 8;

  /**
   * A field to predict.
   *
   * @param reason why it was chosen; "" if the user named it
   */
  record Chosen(FieldProfile field, String reason) {}

  private LabelChoice() {}

  /**
   * Chooses the label.
   *
   * @param named the name that the user gave; null to guess it
   * @param header whether the names of the fields come from a header
   * @throws NoProposalException with the candidates, if no field is likely enough
   */
  static Chosen of(List<FieldProfile> fields, @Nullable String named, boolean header)
      throws NoProposalException {
    if (named != null) {
      return new Chosen(named(fields, named), "");
    }
    List<FieldProfile> usable =
        fields.stream().filter(it -> it.distinct() > 1 && it.missingShare() < 0.9).toList();
    if (header) {
      for (List<String> words : List.of(NAMES, USUAL)) {
        List<FieldProfile> matching =
            usable.stream().filter(it -> words.contains(it.plainName())).toList();
        if (matching.size() == 1) {
          return new Chosen(matching.get(0), "because of its name");
        }
        if (matching.size() > 1) {
          throw weak(matching, "several fields have names of labels");
        }
      }
    }
    if (fields.size() < 2) {
      throw weak(usable, "there is one field only");
    }
    FieldProfile first = fields.get(0);
    FieldProfile last = fields.get(fields.size() - 1);
    boolean onlyOne = usable.stream().filter(LabelChoice::looksLikeClasses).count() == 1;
    if (header
        ? onlyOne && looksLikeClasses(last)
        : looksLikeClasses(last) && !looksLikeClasses(first)) {
      return new Chosen(
          last,
          String.format(
              Locale.ROOT, "because it is the last one and has %,d values", last.distinct()));
    }
    if (!header && looksLikeClasses(first) && !looksLikeClasses(last)) {
      return new Chosen(
          first,
          String.format(
              Locale.ROOT, "because it is the first one and has %,d values", first.distinct()));
    }
    throw weak(usable, "no field is clearly the label");
  }

  private static FieldProfile named(List<FieldProfile> fields, String named)
      throws NoProposalException {
    List<String> names =
        fields.stream().map(FieldProfile::name).filter(it -> !it.isEmpty()).toList();
    for (FieldProfile each : fields) {
      if (each.name().equals(named)) {
        if (each.distinct() < 2) {
          throw new NoProposalException(
              "--label %s: all events have the same value there, or none: nothing can be learned from it"
                  .formatted(named));
        }
        return each;
      }
    }
    String near = NearWord.of(named, names);
    throw new NoProposalException(
        "--label %s is none of the fields%s: %s"
            .formatted(
                Shown.of(named),
                near.isEmpty()
                    ? ""
                    : "; did you mean " + Shown.of(near) + LookAlikes.note(near, named) + "?",
                shown(names)));
  }

  private static String shown(List<String> names) {
    return names.stream().limit(SHOWN).map(Shown::of).collect(Collectors.joining(", "))
        + (names.size() > SHOWN
            ? String.format(Locale.ROOT, " and %,d more", names.size() - SHOWN)
            : "");
  }

  /** Returns whether the values could be classes: few, and each of them often. */
  static boolean looksLikeClasses(FieldProfile field) {
    return field.distinct() >= 2
        && field.distinct() <= FEW_VALUES
        && field.rowsOfValue() >= 5
        && !field.isTime()
        && (!field.isNumeric() || field.isWhole() || field.isFlags());
  }

  private static NoProposalException weak(List<FieldProfile> fields, String why) {
    if (fields.isEmpty()) {
      return new NoProposalException(
          why + ", and all fields have one value or none: there is nothing to learn");
    }
    String candidates =
        fields.stream()
            .filter(it -> !it.name().isEmpty())
            .sorted(Comparator.comparing((FieldProfile it) -> !looksLikeClasses(it)))
            .limit(SHOWN)
            .map(LabelChoice::described)
            .collect(Collectors.joining("\n  ", "\n  ", ""));
    return new NoProposalException(
        why
            + ": name what the model is to predict with --label NAME. Candidates:"
            + candidates
            + (fields.size() > SHOWN
                ? String.format(Locale.ROOT, "%n  and %,d more", fields.size() - SHOWN)
                : ""));
  }

  private static String described(FieldProfile field) {
    String values =
        field.commonest(4).stream().map(Shown::of).collect(Collectors.joining(", "))
            + (field.distinct() > 4 ? ", ..." : "");
    return String.format(
        Locale.ROOT,
        "%s: %,d values (%s)",
        ColumnNames.scalar(field.name()),
        field.distinct(),
        values);
  }
}
