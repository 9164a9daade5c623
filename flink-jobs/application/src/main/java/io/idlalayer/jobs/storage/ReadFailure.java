package io.idlalayer.jobs.storage;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Says in plain words why a file that a user named could not be read. */
public final class ReadFailure {
  private ReadFailure() {}

  /**
   * Returns why a file could not be read, as the end of a sentence.
   *
   * @param showsPath whether the text may contain the path of the file; a path can contain a secret
   */
  public static String why(IOException failed, boolean showsPath) {
    if (failed instanceof FileSystemException file) {
      boolean named = showsPath && file.getFile() != null;
      if (file instanceof NoSuchFileException) {
        return named ? "there is no file " + file.getFile() : "there is no such file";
      }
      String it = named ? file.getFile() : "it";
      if (file instanceof AccessDeniedException) {
        return "this user may not read " + it;
      }
      return "the system does not read %s: %s"
          .formatted(it, file.getReason() == null ? "no reason is known" : file.getReason());
    }
    if (failed instanceof CharacterCodingException) {
      return "it is not text in the expected encoding";
    }
    String message = failed.getMessage();
    return showsPath && message != null ? message : "the system does not read it";
  }
}
