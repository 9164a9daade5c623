package io.idlalayer.jobs.proposal;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.idlalayer.middleware.sample.text.TextForm;
import java.util.List;

/**
 * The form in which the events of an input are written.
 *
 * @param format format of the events
 * @param encoding name of the encoding of the events
 * @param delimiter text between two fields of CSV
 * @param header whether a file of CSV begins with the names of its columns
 * @param columns names of the columns of CSV; empty for other formats
 * @param notation how numbers are written
 * @param schemaFile absolute path of a file with the schema of records; "" for other formats
 */
record EventForm(
    ApplicationSettings.Format format,
    String encoding,
    String delimiter,
    boolean header,
    List<String> columns,
    NumberNotation notation,
    String schemaFile) {
  public EventForm {
    columns = List.copyOf(columns);
  }

  /** Creates the form of events that are not records. */
  public EventForm(
      ApplicationSettings.Format format,
      String encoding,
      String delimiter,
      boolean header,
      List<String> columns,
      NumberNotation notation) {
    this(format, encoding, delimiter, header, columns, notation, "");
  }

  /** Returns the form of Avro records whose schema is in a file. */
  static EventForm avro(String schemaFile) {
    return new EventForm(
        ApplicationSettings.Format.AVRO,
        EventEncoding.UTF_8.name(),
        ",",
        false,
        List.of(),
        NumberNotation.PLAIN,
        schemaFile);
  }

  /** Returns the text format, as the product's readers of text need it. */
  TextForm text() {
    return new TextForm(encoding, delimiter, notation);
  }

  EventForm with(NumberNotation other) {
    return new EventForm(format, encoding, delimiter, header, columns, other, schemaFile);
  }

  EventForm withEncoding(String other) {
    return new EventForm(format, other, delimiter, header, columns, notation, schemaFile);
  }
}
