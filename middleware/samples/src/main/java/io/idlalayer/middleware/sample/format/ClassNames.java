package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the class that a label names: the one whose name is written as the label, with or without
 * spaces around it; if there is none, the one whose name is an equal number, where true is 1 and
 * false is 0. A label that is the number of several classes, and written as none of them, is
 * refused.
 */
final class ClassNames {
  /** Longest text that is compared as a number. */
  private static final int NUMBER_CHARACTERS_MAX = 64;

  private static final int SHOWN = 5;

  /** Index of a number that several classes have. */
  private static final int SEVERAL = -1;

  private final SampleSchema.Label label;
  private final NumberNotation notation;
  private final Map<String, Integer> byName = new HashMap<>();
  private final Map<BigDecimal, Integer> byNumber = new HashMap<>();

  ClassNames(SampleSchema.Label label, NumberNotation notation) {
    this.label = label;
    this.notation = notation;
    List<String> names = label.classes();
    for (int i = 0; i < names.size(); i++) {
      byName.put(names.get(i), i);
      BigDecimal number = number(names.get(i));
      if (number != null) {
        byNumber.merge(number, i, (first, second) -> SEVERAL);
      }
    }
  }

  /**
   * Returns the index of the class that a label names.
   *
   * @throws MalformedSampleException if it names none, or several
   */
  int index(String text) throws MalformedSampleException {
    Integer index = byName.get(text);
    if (index == null) {
      index = byName.get(text.strip());
    }
    if (index != null) {
      return index;
    }
    BigDecimal number = number(text);
    index = number == null ? null : byNumber.get(number);
    if (index == null) {
      throw new MalformedSampleException(
          label.name(),
          String.format(
              Locale.ROOT,
              "%s is none of the %d classes: %s",
              Shown.of(text),
              label.classes().size(),
              shown(label.classes())));
    }
    if (index == SEVERAL) {
      List<String> equal =
          label.classes().stream().filter(name -> equal(number, number(name))).toList();
      throw new MalformedSampleException(
          label.name(),
          "%s is the number of several classes, and written as none of them: %s"
              .formatted(Shown.of(text), shown(equal)));
    }
    return index;
  }

  private static boolean equal(@Nullable BigDecimal one, @Nullable BigDecimal other) {
    return one != null && other != null && one.compareTo(other) == 0;
  }

  private static String shown(List<String> names) {
    return names.stream().limit(SHOWN).map(Shown::of).collect(Collectors.joining(", "))
        + (names.size() > SHOWN
            ? String.format(Locale.ROOT, " and %d more", names.size() - SHOWN)
            : "");
  }

  /** Returns the number that a text is, equal for equal numbers; null if it is none. */
  private @Nullable BigDecimal number(String text) {
    if (text.length() > NUMBER_CHARACTERS_MAX) {
      return null;
    }
    double truth = FieldValues.truth(text);
    if (!Double.isNaN(truth)) {
      return truth == 0 ? BigDecimal.ZERO : BigDecimal.ONE;
    }
    String plain = notation.plain(text);
    if (plain == null) {
      return null;
    }
    try {
      return new BigDecimal(plain).stripTrailingZeros();
    } catch (NumberFormatException | ArithmeticException beyond) {
      // An exponent of more than ten digits.
      return null;
    }
  }
}
