package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.codec.digest.MurmurHash3;

/** Converts the texts of fields to values of samples, equally for every format. */
final class FieldValues {
  private static final int SHOWN_CHARACTERS = 24;
  private static final int BUCKET_SEED = 0;
  private static final int ID_CHARACTERS_MAX = 4096;

  private final SampleSchema schema;
  private final Map<String, Integer> classes = new HashMap<>();

  FieldValues(SampleSchema schema) {
    this.schema = schema;
    List<String> names = schema.label().classes();
    for (int i = 0; i < names.size(); i++) {
      classes.put(canonical(names.get(i)), i);
    }
    // The names as written, so that such labels need not be parsed as numbers.
    for (String name : names) {
      Integer index = classes.get(canonical(name));
      if (index != null) {
        classes.putIfAbsent(name, index);
      }
    }
  }

  /** Returns a text that is equal for numbers of equal value, so that they name one class. */
  private static String canonical(String text) {
    try {
      return Double.toString(Double.parseDouble(text) + 0.0);
    } catch (NumberFormatException word) {
      return text;
    }
  }

  static String shown(String text) {
    return text.length() <= SHOWN_CHARACTERS
        ? "'" + text + "'"
        : "'" + text.substring(0, SHOWN_CHARACTERS) + "...'";
  }

  static float dense(SampleSchema.DenseFeature feature, String text)
      throws MalformedSampleException {
    if (text.isBlank()) {
      throw new MalformedSampleException(feature.name(), "missing");
    }
    try {
      return finite(feature.name(), Double.parseDouble(text) * feature.scale());
    } catch (NumberFormatException word) {
      throw new MalformedSampleException(feature.name(), shown(text) + " is not a number");
    }
  }

  static float finite(String field, double value) throws MalformedSampleException {
    float narrowed = (float) value;
    if (!Float.isFinite(narrowed)) {
      throw new MalformedSampleException(field, value + " is not a finite number");
    }
    return narrowed;
  }

  /** Converts the text of a label to its value; NaN if the text is empty. */
  float label(String text) throws MalformedSampleException {
    SampleSchema.Label label = schema.label();
    String trimmed = text.trim();
    if (trimmed.isEmpty()) {
      return Sample.NO_LABEL;
    }
    if (label.task() == SampleSchema.Task.REGRESSION) {
      try {
        return finite(label.name(), Double.parseDouble(trimmed));
      } catch (NumberFormatException word) {
        throw new MalformedSampleException(label.name(), shown(text) + " is not a number");
      }
    }
    Integer index = classes.get(trimmed);
    if (index == null) {
      index = classes.get(canonical(trimmed));
    }
    if (index == null) {
      throw new MalformedSampleException(
          label.name(), shown(text) + " is none of the " + label.classes().size() + " classes");
    }
    return index;
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
