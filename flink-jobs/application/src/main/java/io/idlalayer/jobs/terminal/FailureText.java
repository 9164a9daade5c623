package io.idlalayer.jobs.terminal;

import io.idlalayer.jobs.storage.StorageCause;
import io.idlalayer.jobs.storage.StorageFault;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Optional;

/** The sentence in which a command tells why it failed. */
final class FailureText {
  private static final String AGAIN = "run the same command again";

  private FailureText() {}

  /**
   * Returns the sentence of a failure. A message of the operating system, which may be the name of
   * a file and nothing else, becomes a sentence that names place, reason and what to do. A message
   * in our own words gets reason and advice, unless they are in it.
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
    // Our own words about a missing file say which one it is and where it should be.
    return fault.cause() == StorageCause.GONE || message.contains(fault.cause().advice())
        ? message
        : "%s (%s)".formatted(message, fault.sentence(AGAIN));
  }

  /**
   * Returns whether the sentence tells all that a user needs, so that no stack trace is offered.
   */
  static boolean complete(Throwable failed) {
    return failed instanceof IOException || StorageFault.of(failed).isPresent();
  }
}
