package io.idlalayer.jobs.registry;

/** Thrown if the registry says that it has no such schema, or has one that cannot be used. */
public final class UnknownSchemaException extends Exception {
  private static final long serialVersionUID = 1L;

  public UnknownSchemaException(String message) {
    super(message);
  }
}
