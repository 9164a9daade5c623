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
 * Finds the class that a label names. This is the class with the same text, with or without spaces
 * around it. If there is none, it is the class whose name is the same number, where true is 1 and
 * false is 0. A label is refused if it is the same number as several classes but has the text of
 * none.
 */
public final class ClassNames {
  /** Longest text that is compared as a number. */
  private static final int NUMBER_CHARACTERS_MAX = 64;

  private static final int SHOWN = 5;

  /** Index of a number that several classes have. */
  private static final int SEVERAL = -1;

  private final SampleSchema.Label label;
  private final NumberNotation notation;
  private final Map<String, Integer> byName = new HashMap<>();
  private final Map<BigDecimal, Integer> byNumber = new HashMap<>();

  /**
   * @param notation the notation of numbers in labels
   */
  public ClassNames(SampleSchema.Label label, NumberNotation notation) {
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
   * Returns the classes that a label can mean: the class that it names; or several, if it is the
   * same number as several classes but has the text of none; or no class.
   */
  public List<String> meant(String text) {
    Integer index = find(text);
    if (index == null) {
      return List.of();
    }
    return index == SEVERAL ? equal(text) : List.of(label.classes().get(index));
  }

  /**
   * Returns the index of the class that a label names.
   *
   * @throws MalformedSampleException if the label names no class or several
   */
  int index(String text) throws MalformedSampleException {
    Integer index = find(text);
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
      throw new MalformedSampleException(
          label.name(),
          "%s as a number equals several classes, but is not written like any of them: %s; write the label as its class is written, in JSON as a text"
              .formatted(Shown.of(text), shown(equal(text))));
    }
    return index;
  }

  /**
   * Returns the index of the class that a label names; null if there is none, and {@link #SEVERAL}.
   */
  private @Nullable Integer find(String text) {
    Integer index = byName.get(text);
    if (index == null) {
      index = byName.get(text.strip());
    }
    if (index != null) {
      return index;
    }
    BigDecimal number = number(text);
    return number == null ? null : byNumber.get(number);
  }

  /** Returns the classes that are the same number as a label. */
  private List<String> equal(String text) {
    BigDecimal number = number(text);
    return label.classes().stream().filter(name -> equal(number, number(name))).toList();
  }

  private static boolean equal(@Nullable BigDecimal one, @Nullable BigDecimal other) {
    return one != null && other != null && one.compareTo(other) == 0;
  }

  /** Returns the first names in quotes, and how many more there are. */
  public static String shown(List<String> names) {
    return names.stream().limit(SHOWN).map(Shown::of).collect(Collectors.joining(", "))
        + (names.size() > SHOWN
            ? String.format(Locale.ROOT, " and %d more", names.size() - SHOWN)
            : "");
  }

  /**
   * Returns the number in a text, in a form that is equal for equal numbers; null if the text is no
   * number.
   */
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
      // The exponent has more than ten digits.
      return null;
    }
  }
}
