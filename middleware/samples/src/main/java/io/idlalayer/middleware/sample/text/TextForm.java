package io.idlalayer.middleware.sample.text;

import java.io.Serializable;

/**
 * The form of events that are text.
 *
 * @param encoding name of the {@link EventEncoding} of the events
 * @param delimiter text between two fields of a CSV row
 * @param notation how numbers are written in fields of CSV
 */
public record TextForm(String encoding, String delimiter, NumberNotation notation)
    implements Serializable {
  /** UTF-8, commas between fields, and numbers as programs write them. */
  public static final TextForm PLAIN = delimited(",");

  /** Returns a plain form with another delimiter. */
  public static TextForm delimited(String delimiter) {
    return new TextForm(EventEncoding.UTF_8.name(), delimiter, NumberNotation.PLAIN);
  }

  /** Returns the encoding with the name {@code encoding}. */
  public EventEncoding eventEncoding() {
    return EventEncoding.of(encoding);
  }
}
