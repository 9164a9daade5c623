package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.IdKeys;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.commons.codec.digest.MurmurHash3;

/** Converts the texts of fields to values of samples, equally for every format. */
final class FieldValues {
  private static final int BUCKET_SEED = 0;
  private static final int ID_CHARACTERS_MAX = 4096;

  /** Longest text that is searched for characters that look like characters of numbers. */
  private static final int NUMBER_CHARACTERS_MAX = 64;

  private final SampleSchema schema;
  private final NumberNotation notation;
  private final ClassNames classes;

  FieldValues(SampleSchema schema, NumberNotation notation) {
    this.schema = schema;
    this.notation = notation;
    classes = new ClassNames(schema.label(), notation);
  }

  /**
   * Returns 1 for a text that means true, 0 for a text that means false, and NaN for other texts.
   */
  static double truth(String text) {
    return switch (text.strip()) {
      case "true", "True", "TRUE" -> 1;
      case "false", "False", "FALSE" -> 0;
      default -> Double.NaN;
    };
  }

  /**
   * Returns the exception for a text that is not a number, with the notation in the message if it
   * is not the plain one.
   */
  static MalformedSampleException noNumber(String field, String text, NumberNotation notation) {
    String word = text.strip();
    if (word.matches("NaN|[+-]?Infinity")) {
      return new MalformedSampleException(field, word + " is not a finite number");
    }
    boolean other = !Double.isNaN(NumberNotation.PLAIN.read(text));
    boolean comma =
        notation.equals(NumberNotation.PLAIN)
            && !Double.isNaN(new NumberNotation(",", "").read(text));
    String hint = "";
    if (other) {
      hint =
          "; input.decimal is '%s', and input.thousands is '%s'"
              .formatted(notation.decimal(), notation.thousands());
    } else if (comma) {
      hint = "; input.decimal says which decimal separator numbers have";
    }
    return new MalformedSampleException(
        field, Shown.of(text) + " is not a number" + hint + otherCharacter(text, notation));
  }

  /**
   * Returns a hint if a text would be a number with the digits and signs of ASCII, as the end of a
   * sentence; else "".
   */
  private static String otherCharacter(String text, NumberNotation notation) {
    StringBuilder ascii = new StringBuilder(text.length());
    int first = -1;
    for (int i = 0; i < text.length() && i < NUMBER_CHARACTERS_MAX; i++) {
      char plain = ascii(text.charAt(i));
      first = first < 0 && plain != text.charAt(i) ? i : first;
      ascii.append(plain);
    }
    return first < 0 || Double.isNaN(notation.read(ascii.toString()))
        ? ""
        : String.format(
            Locale.ROOT,
            "; it has U+%04X where '%c' is expected",
            (int) text.charAt(first),
            ascii.charAt(first));
  }

  /**
   * Returns the ASCII digit or sign for a similar character of another script, or the character
   * itself.
   */
  private static char ascii(char c) {
    if (c <= 0x7f) {
      return c;
    }
    int digit = Character.digit(c, 10);
    if (digit >= 0) {
      return (char) ('0' + digit);
    }
    boolean minus = Character.getType(c) == Character.DASH_PUNCTUATION || c == '\u2212';
    return minus ? '-' : c == '\uff0b' ? '+' : c == '\uff0e' ? '.' : c;
  }

  /**
   * Returns whether a number is also finite in 32 bits, with which the network computes, and so
   * small that sums of squares stay finite.
   */
  static boolean finite(double value) {
    return Float.isFinite((float) value);
  }

  static double finite(String field, double value) throws MalformedSampleException {
    if (!finite(value)) {
      throw new MalformedSampleException(
          field,
          value
              + (Double.isFinite(value)
                  ? " is not a finite number of 32 bits, at most 3.4e38"
                  : " is not a finite number"));
    }
    return value;
  }

  /** Converts the text of a label to its value; NaN if the text is empty. */
  double label(String text) throws MalformedSampleException {
    SampleSchema.Label label = schema.label();
    if (text.isBlank()) {
      return Sample.NO_LABEL;
    }
    if (label.task() == SampleSchema.Task.REGRESSION) {
      double number = notation.read(text);
      if (Double.isNaN(number)) {
        number = truth(text);
      }
      if (Double.isNaN(number)) {
        throw noNumber(label.name(), text, notation);
      }
      return target(label, number);
    }
    return classes.index(text);
  }

  /** Returns a target unchanged, after checking that the label can have this value. */
  static double target(SampleSchema.Label label, double value) throws MalformedSampleException {
    finite(label.name(), value);
    if (value < 0 && label.targets() == SampleSchema.Targets.NOT_NEGATIVE) {
      throw new MalformedSampleException(
          label.name(),
          value + " is below 0; with 'training.loss: poisson' a target is at least 0");
    }
    // Minus zero becomes 0.
    return label.targets() == SampleSchema.Targets.NOT_NEGATIVE ? value + 0.0 : value;
  }

  /**
   * Converts the text of an importance weight to a number of at least 0; {@link Sample#NO_WEIGHT}
   * if the text is empty.
   */
  double weight(String text) throws MalformedSampleException {
    if (text.isBlank()) {
      return Sample.NO_WEIGHT;
    }
    SampleSchema.Weight weight = schema.weight();
    String name = weight == null ? "weight" : weight.name();
    double number = notation.read(text);
    if (Double.isNaN(number)) {
      throw noNumber(name, text, notation);
    }
    if (number < 0) {
      throw new MalformedSampleException(
          name, Shown.of(text) + " is below 0; a weight is at least 0");
    }
    // Minus zero becomes 0.
    return finite(name, number) + 0.0;
  }

  /**
   * Returns the bucket of a categorical value: 0 if it is missing, else 1 to buckets-1, by Murmur3.
   */
  static int bucket(SampleSchema.CategoricalFeature feature, String text) {
    if (text.isEmpty()) {
      return 0;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int hash = MurmurHash3.hash32x86(bytes, 0, bytes.length, BUCKET_SEED);
    return 1 + Math.floorMod(hash, Math.max(1, feature.buckets() - 1));
  }

  /** Returns the key of the row that an id has in its feature's table. */
  static long key(SampleSchema.IdFeature feature, String text) throws MalformedSampleException {
    if (text.length() > ID_CHARACTERS_MAX) {
      throw new MalformedSampleException(
          feature.name(),
          String.format(
              Locale.ROOT, "an id of %d characters; at most %d", text.length(), ID_CHARACTERS_MAX));
    }
    return feature.index().keyOf(text);
  }

  /**
   * Returns the key of an event, {@link io.idlalayer.middleware.sample.IdLists#MISSING} for an
   * empty text.
   */
  long key(String text) throws MalformedSampleException {
    SampleSchema.History history = schema.history();
    if (text.length() > ID_CHARACTERS_MAX) {
      throw new MalformedSampleException(
          history == null ? "key" : String.valueOf(history.key()),
          String.format(
              Locale.ROOT, "a key of %d characters; at most %d", text.length(), ID_CHARACTERS_MAX));
    }
    return history == null ? IdKeys.of(text) : history.hashOf(text);
  }

  String id(String text) throws MalformedSampleException {
    if (text.length() > ID_CHARACTERS_MAX) {
      throw new MalformedSampleException(
          String.valueOf(schema.id()),
          String.format(
              Locale.ROOT, "%d characters; at most %d", text.length(), ID_CHARACTERS_MAX));
    }
    return text;
  }
}
