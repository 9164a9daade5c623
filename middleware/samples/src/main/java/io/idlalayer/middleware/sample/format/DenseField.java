package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.middleware.sample.text.Timestamps;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Converts the field of a dense feature to its values in a sample, equally for every format. An
 * array has several elements; each element becomes the values that the feature's {@link
 * SampleSchema.Reading} defines.
 */
final class DenseField {
  private final DenseFeature feature;
  private final NumberNotation notation;
  private final double scale;

  /** The whole number n if the scale is 1/n; numbers are then divided by n. 0 for other scales. */
  private final double divisor;

  private final int offset;
  private final int values;
  private final boolean plain;
  private final Missing missing;
  private final boolean indicator;
  private final TimePart[] time;
  private final Set<String> missingTexts = new HashSet<>();
  private final double[] missingNumbers;
  private final AbsentDraft absent;

  /**
   * @param offset index of the feature's first value in a sample
   * @param absent records missing elements
   */
  private DenseField(
      DenseFeature feature, int offset, NumberNotation notation, AbsentDraft absent) {
    this.feature = feature;
    this.absent = absent;
    scale = feature.scale();
    divisor = divisor(scale);
    this.offset = offset;
    this.notation = notation;
    SampleSchema.Reading reading = feature.reading();
    values = feature.values() / feature.width();
    plain = reading.equals(SampleSchema.Reading.PLAIN);
    missing = reading.missing();
    indicator = reading.indicator();
    time = reading.time().toArray(new TimePart[0]);
    missingTexts.addAll(reading.missingValues());
    missingNumbers =
        reading.missingValues().stream()
            .mapToDouble(NumberNotation.PLAIN::read)
            .filter(Double::isFinite)
            .toArray();
  }

  /**
   * Returns n if a scale is 1/n, with at least the digits of a float; else 0. A quotient is rounded
   * only once: 7/10 is 0.7, but 7 times 0.1 is not.
   */
  private static double divisor(double scale) {
    double whole = Math.rint(1 / scale);
    return scale != 1 && whole != 0 && (float) scale == (float) (1 / whole) ? whole : 0;
  }

  private double scaled(double number) {
    return divisor == 0 ? number * scale : number / divisor;
  }

  /** Returns the fields of all dense features of a schema, in order. */
  static List<DenseField> of(SampleSchema schema, NumberNotation notation) {
    return of(schema, notation, new AbsentDraft(schema, EventParts.WHOLE));
  }

  /**
   * Returns the fields of all dense features of a schema, in order.
   *
   * @param absent records missing elements
   */
  static List<DenseField> of(SampleSchema schema, NumberNotation notation, AbsentDraft absent) {
    List<DenseField> fields = new ArrayList<>();
    int offset = 0;
    for (DenseFeature feature : schema.dense()) {
      fields.add(new DenseField(feature, offset, notation, absent));
      offset += feature.values();
    }
    return fields;
  }

  DenseFeature feature() {
    return feature;
  }

  /** Returns whether the elements are times. If they are, true and false are malformed. */
  boolean isTime() {
    return time.length > 0;
  }

  /** Returns whether a sample must have all elements of this field. */
  boolean refusesMissing() {
    return missing == Missing.REFUSE;
  }

  /** Returns whether an event without this field is malformed. */
  boolean needed() {
    return refusesMissing() && !absent.mayLackNeeded();
  }

  /**
   * Sets the values of an element from its text.
   *
   * @throws MalformedSampleException if the text is not a number or time, or if the element is
   *     missing and missing elements are refused
   */
  void text(String text, int element, double[] into) throws MalformedSampleException {
    if (text.isBlank()) {
      missing(element, into);
      return;
    }
    if (!plain && missingTexts.contains(text.strip())) {
      missing(element, into);
      return;
    }
    if (time.length > 0) {
      time(text, element, into);
      return;
    }
    double number = notation.read(text);
    if (Double.isNaN(number)) {
      number = FieldValues.truth(text);
    }
    if (Double.isNaN(number)) {
      throw FieldValues.noNumber(feature.name(), text, notation);
    }
    number(number, element, into);
  }

  /**
   * Sets the values of an element from a number.
   *
   * @throws MalformedSampleException if it is not finite, or if it stands for a missing element and
   *     missing elements are refused
   */
  void number(double number, int element, double[] into) throws MalformedSampleException {
    int at = offset + element * values;
    if (plain) {
      into[at] = FieldValues.finite(feature.name(), scaled(number));
      return;
    }
    if (Double.isNaN(number) && !needed()) {
      missing(element, into);
      return;
    }
    for (double each : missingNumbers) {
      if (each == number) {
        missing(element, into);
        return;
      }
    }
    if (time.length > 0) {
      FieldValues.finite(feature.name(), number);
      time(new BigDecimal(number).toPlainString(), element, into);
      return;
    }
    into[at] = FieldValues.finite(feature.name(), scaled(number));
    if (indicator) {
      into[at + 1] = 0;
    }
  }

  private void time(String text, int element, double[] into) throws MalformedSampleException {
    OffsetDateTime read;
    try {
      read = Timestamps.read(text);
    } catch (DateTimeException noTime) {
      throw new MalformedSampleException(
          feature.name(), Shown.of(text) + " is not a time stamp: " + noTime.getMessage());
    }
    int at = offset + element * values;
    for (TimePart part : time) {
      for (int i = 0; i < part.width(); i++) {
        double value = part.value(read, i);
        // Parts of a day or year are near 0, where 32 bits are enough to distinguish all of them.
        into[at++] =
            FieldValues.finite(
                feature.name(), part == TimePart.SECONDS ? scaled(value) : (float) value);
      }
    }
    if (indicator) {
      into[at] = 0;
    }
  }

  /** Returns whether elements are numbers that are never missing, and nothing else. */
  boolean plain() {
    return plain;
  }

  /** Sets the value of an element of a plain field; returns whether it is finite. */
  boolean plainNumber(double number, int element, double[] into) {
    double value = scaled(number);
    into[offset + element] = value;
    return FieldValues.finite(value);
  }

  /** Sets the values of all elements of a field that an event does not have. */
  void absent(double[] into) throws MalformedSampleException {
    for (int i = 0; i < feature.width(); i++) {
      missing(i, into);
    }
  }

  /**
   * Sets the values of an element that is missing.
   *
   * @throws MalformedSampleException if missing elements are refused
   */
  void missing(int element, double[] into) throws MalformedSampleException {
    if (needed()) {
      throw new MalformedSampleException(feature.name(), "missing");
    }
    int at = offset + element * values;
    if (refusesMissing()) {
      absent.addNeeded(at, at + values, feature.name());
    } else {
      absent.add(at, at + values);
    }
    int end = at + values - (indicator ? 1 : 0);
    for (; at < end; at++) {
      into[at] = missing == Missing.MEAN ? Double.NaN : 0;
    }
    if (indicator) {
      into[at] = 1;
    }
  }
}
