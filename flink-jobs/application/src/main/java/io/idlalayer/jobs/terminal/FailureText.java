package io.idlalayer.jobs.terminal;

import io.idlalayer.jobs.storage.StorageCause;
import io.idlalayer.jobs.storage.StorageFault;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;

/** Writes the sentence in which a command reports why it failed. */
final class FailureText {
  private static final String AGAIN = "run the same command again";

  private FailureText() {}

  /**
   * Returns the sentence of a failure. A message of the operating system, which is sometimes only
   * the name of a file, becomes a sentence with the place, the reason and what to do. To a message
   * of this product, reason and advice are added unless it already has them.
   */
  static String of(Throwable failed) {
    String message = failed.getMessage();
    Optional<StorageFault> found = StorageFault.of(failed);
    if (found.isEmpty()) {
      return message == null ? failed.toString() : message;
    }
    StorageFault fault = found.get();
    if (message == null || failed instanceof FileSystemException) {
      return fault.sentence(AGAIN);
    }
    // A message of this product about a missing file already says which file is missing and where
    // it should be.
    return fault.cause() == StorageCause.GONE || message.contains(fault.cause().advice())
        ? message
        : "%s (%s)".formatted(message, fault.sentence(AGAIN));
  }

  /**
   * Returns whether the sentence has all that a user needs, so that the option for stack traces is
   * not mentioned.
   */
  static boolean complete(Throwable failed) {
    return failed instanceof IOException || StorageFault.of(failed).isPresent();
  }
}
