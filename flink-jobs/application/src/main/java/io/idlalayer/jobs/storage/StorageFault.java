package io.idlalayer.jobs.storage;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file or folder that cannot be used, and why.
 *
 * @param place the file or folder that the failure names; null if it names none
 * @param detail the words of the operating system
 */
public record StorageFault(StorageCause cause, @Nullable Path place, String detail) {
  /** Largest number of failures that are examined, because chains of causes can have cycles. */
  private static final int MOST_FAILURES = 64;

  private static final Pattern PATH = Pattern.compile("(/[^\\s:()\"'][^:()\"'\\n]*)");

  /**
   * Finds the fault of storage in a failure: in its causes, their suppressed exceptions, and all
   * messages, because Flink and RocksDB keep only the text of the original failure.
   *
   * @return empty if nothing in it is about storage
   */
  public static Optional<StorageFault> of(@Nullable Throwable failed) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> open = new ArrayDeque<>();
    if (failed != null) {
      open.add(failed);
    }
    StorageFault found = null;
    while (!open.isEmpty() && seen.size() < MOST_FAILURES) {
      Throwable next = open.remove();
      if (!seen.add(next)) {
        continue;
      }
      StorageFault fault = ofOne(next);
      // A deeper failure that names a place is more informative.
      if (fault != null && (found == null || found.place() == null)) {
        found = fault;
      }
      if (next.getCause() != null) {
        open.add(next.getCause());
      }
      Collections.addAll(open, next.getSuppressed());
    }
    return Optional.ofNullable(found);
  }

  /** Returns why something failed: the fault of storage with advice, or else the failure itself. */
  public static String why(@Nullable Throwable failed) {
    return of(failed)
        .map(fault -> fault.problem() + "; " + fault.cause().advice())
        .orElseGet(() -> String.valueOf(failed));
  }

  /**
   * Returns the fault that one failure describes, without looking at its causes; null if it
   * describes none.
   */
  private static @Nullable StorageFault ofOne(Throwable failed) {
    if (failed instanceof FileSystemException file) {
      String reason = file.getReason();
      StorageCause cause = reason == null ? null : StorageCause.named(reason).orElse(null);
      if (cause == null) {
        cause = ofKind(file);
      }
      return cause == null
          ? null
          : new StorageFault(cause, path(file.getFile()), reason == null ? "" : reason);
    }
    String message = failed.getMessage();
    boolean aboutFiles =
        failed instanceof IOException
            || failed.getClass().getName().contains("RocksDB")
            || failed.getClass().getName().contains("Storage")
            || (message != null && message.contains("Exception"));
    return message == null || !aboutFiles ? null : ofText(message);
  }

  private static @Nullable StorageCause ofKind(FileSystemException file) {
    if (file instanceof AccessDeniedException) {
      return StorageCause.REFUSED;
    }
    if (file instanceof NoSuchFileException || file instanceof NotDirectoryException) {
      return StorageCause.GONE;
    }
    return null;
  }

  /** Returns the fault that a text reports, such as a line of a log; null if it reports none. */
  static @Nullable StorageFault ofText(String text) {
    for (StorageCause cause : StorageCause.values()) {
      for (String words : cause.texts()) {
        int at = text.indexOf(words);
        if (at >= 0) {
          return new StorageFault(cause, lastPath(text.substring(0, at)), words);
        }
      }
    }
    return null;
  }

  private static @Nullable Path lastPath(String before) {
    Matcher paths = PATH.matcher(before);
    Path last = null;
    while (paths.find()) {
      Path path = path(paths.group(1).strip());
      last = path == null ? last : path;
    }
    return last;
  }

  private static @Nullable Path path(@Nullable String text) {
    try {
      return text == null || text.isEmpty() ? null : Path.of(text);
    } catch (InvalidPathException notOne) {
      return null;
    }
  }

  /** Returns this fault with a given place, unless the fault already has a place. */
  public StorageFault at(Path folder) {
    return place == null ? new StorageFault(cause, folder, detail) : this;
  }

  /**
   * Returns the fault as one sentence without a full stop: place, reason, and what to do.
   *
   * @param then what to do afterwards, such as "run the same command again"
   */
  public String sentence(String then) {
    return String.format(Locale.ROOT, "%s; %s, then %s", problem(), cause.advice(), then);
  }

  /** Returns place and reason, as a clause. */
  public String problem() {
    boolean said = detail.isEmpty() || cause.texts().contains(detail);
    String words = said ? "" : " (" + detail + ")";
    return (place == null ? "a file" : place) + " cannot be used: " + cause.reason() + words;
  }
}
