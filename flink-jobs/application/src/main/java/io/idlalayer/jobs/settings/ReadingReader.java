package io.idlalayer.jobs.settings;

import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.TimePart;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads how missing numbers and time stamps are treated: for all features from section {@code
 * input}, and for a single feature from its own entry.
 */
final class ReadingReader {
  /** Texts that stand for a missing number in the files of the usual programs. */
  private static final List<String> USUAL_MISSING =
      List.of("NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None");

  private final Reading usual;

  ReadingReader(Section input) {
    usual = read(input, Reading.PLAIN);
  }

  /** Returns the treatment of features without an entry of their own. */
  Reading usual() {
    return usual;
  }

  /** Returns the treatment of a feature with this entry. */
  Reading of(Section feature) {
    Reading reading = read(feature, usual);
    return new Reading(
        reading.missing(), reading.indicator(), reading.missingValues(), parts(feature));
  }

  private static Reading read(Section section, Reading otherwise) {
    Missing missing = section.choice("missing", otherwise.missing(), Missing.values());
    boolean indicator = section.flag("missing-indicator", otherwise.indicator());
    List<String> values = section.texts("missing-values");
    if (!section.has("missing-values")) {
      boolean chosen = missing != Missing.REFUSE && otherwise.missingValues().isEmpty();
      values = chosen ? USUAL_MISSING : otherwise.missingValues();
    }
    if (missing == Missing.REFUSE && indicator) {
      section.idle("missing-indicator", true, false, "'missing' zero or mean");
      indicator = false;
    }
    return new Reading(missing, indicator, values, List.of());
  }

  private static List<TimePart> parts(Section feature) {
    feature.words("time", Stream.of(TimePart.values()).map(Section::name).toList());
    List<String> names = List.of();
    if (feature.isList("time")) {
      names = feature.names("time");
    } else {
      String one = feature.text("time");
      names = one == null ? names : List.of(one);
    }
    List<TimePart> parts = new ArrayList<>();
    for (String name : names) {
      Stream.of(TimePart.values())
          .filter(part -> Section.name(part).equals(name))
          .findFirst()
          .ifPresentOrElse(
              parts::add,
              () ->
                  feature.problem(
                      "time",
                      "%s is none of %s"
                          .formatted(
                              feature.shown(name),
                              Stream.of(TimePart.values())
                                  .map(Section::name)
                                  .collect(Collectors.joining(", ")))));
    }
    if (parts.stream().distinct().count() != parts.size()) {
      feature.problem("time", "names a part twice");
    }
    return parts;
  }
}
