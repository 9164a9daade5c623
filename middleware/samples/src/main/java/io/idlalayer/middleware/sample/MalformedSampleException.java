package io.idlalayer.middleware.sample;

/**
 * Thrown if the bytes of an event are not a sample. The message is meant for the dead-letter topic.
 */
public final class MalformedSampleException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String field;

  /**
   * Creates the exception for a field that could not be decoded.
   *
   * @param field the column, key or byte position at which decoding stopped
   * @param reason what was wrong, with the offending value shortened to a few characters
   */
  public MalformedSampleException(String field, String reason) {
    super(field + ": " + reason);
    this.field = field;
  }

  public String field() {
    return field;
  }

  /**
   * Returns this exception without filling in a stack trace, because malformed events are ordinary
   * data.
   */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
