package io.idlalayer.middleware.models.serve;

/** Describes failures in words. */
final class Failures {
  private Failures() {}

  /** Describes an exception, even if there is too little memory for a complete description. */
  static String text(Throwable failed) {
    try {
      String message = failed.getMessage();
      return failed instanceof java.io.IOException && message != null ? message : failed.toString();
    } catch (Throwable alsoFailed) {
      return "a failure whose message cannot be read";
    }
  }
}
