package io.idlalayer.middleware.sample;

/**
 * Thrown if the bytes of an event are not a sample. The message is meant for the dead-letter topic.
 */
public final class MalformedSampleException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String field;

  /**
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

  /** Refusals are ordinary data, so they carry no stack trace. */
  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }
}
