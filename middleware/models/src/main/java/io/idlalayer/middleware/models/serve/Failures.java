package io.idlalayer.middleware.models.serve;

/** Failures in words. */
final class Failures {
  private Failures() {}

  /** Says what failed, also where memory is so short that it cannot be said well. */
  static String text(Throwable failed) {
    try {
      String message = failed.getMessage();
      return failed instanceof java.io.IOException && message != null ? message : failed.toString();
    } catch (Throwable alsoFailed) {
      return "a failure whose message cannot be read";
    }
  }
}
