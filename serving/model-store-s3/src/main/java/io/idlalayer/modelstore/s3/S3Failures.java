package io.idlalayer.modelstore.s3;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Locale;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Converts failed calls of the SDK into exceptions whose messages contain no secrets. */
final class S3Failures {
  static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int MOST_REASON = 400;

  private S3Failures() {}

  /**
   * Returns whether a call failed because the object does not exist; a missing bucket does not
   * count.
   */
  static boolean isMissing(S3Exception refused) {
    return refused.statusCode() == NOT_FOUND && !code(refused).equals("NoSuchBucket");
  }

  /**
   * Returns whether a call failed because another write to the object was under way; the write may
   * be repeated.
   */
  static boolean isConflict(Throwable failed) {
    return failed instanceof S3Exception refused && refused.statusCode() == CONFLICT;
  }

  static String code(S3Exception refused) {
    AwsErrorDetails details = refused.awsErrorDetails();
    return details == null || details.errorCode() == null ? "" : plain(details.errorCode());
  }

  /**
   * Returns the exception for a failed call, with its cause in words.
   *
   * @param what description of the failure, such as {@code s3://models/app/0/current.json cannot be
   *     read}
   */
  static IOException of(String what, SdkException failed) {
    if (failed instanceof AbortedException) {
      Thread.currentThread().interrupt();
      return (IOException) new InterruptedIOException(what + ": interrupted").initCause(failed);
    }
    if (failed instanceof S3Exception refused) {
      return new IOException("%s: %s".formatted(what, words(refused)), failed);
    }
    return new IOException("%s: %s".formatted(what, plain(root(failed))), failed);
  }

  private static String words(S3Exception refused) {
    String code = code(refused);
    int status = refused.statusCode();
    String advice =
        switch (status) {
          case 301, 307, 400 ->
              code.equals("PermanentRedirect") || code.equals("AuthorizationHeaderMalformed")
                  ? "; the bucket is in another region, set AWS_REGION"
                  : "";
          case 401, 403 ->
              "; this process's credentials are wrong, or lack the right (docs/security.md "
                  + "lists the rights that are needed)";
          case NOT_FOUND -> code.equals("NoSuchBucket") ? "; there is no such bucket" : "";
          case 501 ->
              "; this object store lacks a feature that is needed, perhaps conditional writes";
          default -> "";
        };
    AwsErrorDetails details = refused.awsErrorDetails();
    String message =
        details == null || details.errorMessage() == null ? "" : plain(details.errorMessage());
    return String.format(
        Locale.ROOT,
        "the store answered %d%s%s%s",
        status,
        code.isEmpty() ? "" : " " + code,
        message.isEmpty() ? "" : " (" + message + ")",
        advice);
  }

  /** Returns the message of the root cause, because the outermost message says little. */
  private static String root(Throwable failed) {
    Throwable root = failed;
    for (int i = 0; i < 10 && root.getCause() != null; i++) {
      root = root.getCause();
    }
    String message = root.getMessage();
    String outer = String.valueOf(failed.getMessage());
    return root.equals(failed) || message == null || outer.contains(message)
        ? outer
        : outer + ": " + message;
  }

  /** Returns the beginning of a store's text, with printable ASCII characters only, for a log. */
  private static String plain(String text) {
    String shown = text.length() > MOST_REASON ? text.substring(0, MOST_REASON) + "..." : text;
    return shown.replaceAll("[^\\x20-\\x7E]", "?");
  }
}
