package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.TextForm;
import java.util.List;

/**
 * How the events of an input are written.
 *
 * @param format their format
 * @param encoding name of their encoding
 * @param delimiter text between two fields of CSV
 * @param header whether a file of CSV begins with the names of its columns
 * @param columns names of the columns of CSV; empty for other formats
 * @param notation how numbers are written
 */
record EventForm(
    ApplicationSettings.Format format,
    String encoding,
    String delimiter,
    boolean header,
    List<String> columns,
    NumberNotation notation) {
  public EventForm {
    columns = List.copyOf(columns);
  }

  /** Returns the form that the product's readers of text take. */
  TextForm text() {
    return new TextForm(encoding, delimiter, notation);
  }

  EventForm with(NumberNotation other) {
    return new EventForm(format, encoding, delimiter, header, columns, other);
  }

  EventForm withEncoding(String other) {
    return new EventForm(format, other, delimiter, header, columns, notation);
  }
}
