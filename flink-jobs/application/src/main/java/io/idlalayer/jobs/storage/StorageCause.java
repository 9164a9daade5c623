package io.idlalayer.jobs.storage;

import java.util.List;
import java.util.Optional;

/**
 * The reasons for which an operating system refuses to write or read a file, with what a person can
 * do. The texts are the English texts of glibc and musl, which Java, RocksDB and Kafka repeat.
 */
public enum StorageCause {
  /** The device has no space left. */
  FULL(
      "no space is left on its device",
      "make room there",
      List.of("No space left on device", "not enough space on the disk", "File too large")),
  /** The user has used up the disk quota. */
  QUOTA(
      "the disk quota is used up",
      "make room there or have the quota raised",
      List.of("Disk quota exceeded", "Quota exceeded")),
  /** The file system is read-only: it was mounted so, or has become read-only after an error. */
  READ_ONLY(
      "its file system can only be read",
      "mount it for writing; if it was mounted for writing, the device has failed",
      List.of("Read-only file system")),
  /** The process has used up its file handles. */
  HANDLES(
      "the process may open no more files",
      "raise its limit (ulimit -n)",
      List.of("Too many open files", "No file descriptors available")),
  /** The user, or an attribute of the file, does not allow it. */
  REFUSED(
      "the operating system does not allow it",
      "give the user of this process the right to write there (chown, chmod, chattr -i)",
      List.of("Operation not permitted", "Permission denied")),
  /** The device or the network file system fails. */
  DEVICE(
      "its device reports an error",
      "check the device or the network file system",
      List.of(
          "Input/output error",
          "Structure needs cleaning",
          "Stale file handle",
          "Stale NFS file handle",
          "Transport endpoint is not connected",
          "Remote I/O error")),
  /** A folder was removed, or a file is in its place. */
  GONE(
      "it is not there",
      "bring it back or mount it",
      List.of("No such file or directory", "Not a directory"));

  private final String reason;
  private final String advice;
  private final List<String> texts;

  StorageCause(String reason, String advice, List<String> texts) {
    this.reason = reason;
    this.advice = advice;
    this.texts = texts;
  }

  /** Returns what is wrong, as the second half of a sentence. */
  public String reason() {
    return reason;
  }

  /** Returns what a person can do, as a clause. */
  public String advice() {
    return advice;
  }

  /** Returns the texts of the operating system that mean this cause. */
  List<String> texts() {
    return texts;
  }

  /** Returns the cause that a text names; empty if it names none. */
  static Optional<StorageCause> named(String text) {
    for (StorageCause each : values()) {
      if (each.texts.stream().anyMatch(text::contains)) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }
}
