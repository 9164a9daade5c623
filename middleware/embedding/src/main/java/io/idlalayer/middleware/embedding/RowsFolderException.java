package io.idlalayer.middleware.embedding;

import java.io.IOException;

/**
 * Rows cannot be written, read or mapped here: the folder for them is full or gone, the disk fails,
 * or the system maps no more. The version whose rows they are may be whole.
 */
public final class RowsFolderException extends IOException {
  private static final long serialVersionUID = 1;

  RowsFolderException(String message, IOException cause) {
    super(message, cause);
  }
}
