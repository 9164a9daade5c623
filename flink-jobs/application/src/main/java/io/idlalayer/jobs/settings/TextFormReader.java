package io.idlalayer.jobs.settings;

import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.TextForm;

/** Reads the keys of section {@code input} that say how events are written. */
final class TextFormReader {
  private TextFormReader() {}

  static TextForm read(Section input, ApplicationSettings.Format format) {
    String encoding = encoding(input);
    String delimiter = input.text("delimiter", ",");
    if (!CsvRow.delimits(delimiter)) {
      input.problem("delimiter", "some text is expected, without quotes and line ends");
      delimiter = ",";
    }
    NumberNotation notation = notation(input);
    if (format != ApplicationSettings.Format.CSV) {
      String csv = "'format: csv'";
      input.idle("delimiter", delimiter, ",", csv);
      input.idle("decimal", notation.decimal(), NumberNotation.PLAIN.decimal(), csv);
      input.idle("thousands", notation.thousands(), NumberNotation.PLAIN.thousands(), csv);
    }
    if (format == ApplicationSettings.Format.BINARY) {
      input.idle("encoding", encoding, EventEncoding.UTF_8.name(), "events that are text");
    }
    return new TextForm(encoding, delimiter, notation);
  }

  private static String encoding(Section input) {
    String name = input.text("encoding", EventEncoding.UTF_8.name());
    try {
      return EventEncoding.of(name).name();
    } catch (IllegalArgumentException refused) {
      input.problem("encoding", input.shown(name) + " " + refused.getMessage());
      return EventEncoding.UTF_8.name();
    }
  }

  private static NumberNotation notation(Section input) {
    String decimal = input.text("decimal", NumberNotation.PLAIN.decimal());
    String thousands = input.text("thousands", NumberNotation.PLAIN.thousands());
    try {
      return new NumberNotation(decimal, thousands);
    } catch (IllegalArgumentException refused) {
      boolean ofDecimal = input.has("decimal") || !input.has("thousands");
      input.problem(ofDecimal ? "decimal" : "thousands", String.valueOf(refused.getMessage()));
      return NumberNotation.PLAIN;
    }
  }
}
