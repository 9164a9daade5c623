package io.idlalayer.middleware.embedding;

import java.io.IOException;

/**
 * The folder for mapped rows fails: it is full or gone. The version whose rows they are may be
 * whole.
 */
public final class RowsFolderException extends IOException {
  private static final long serialVersionUID = 1;

  RowsFolderException(String message, IOException cause) {
    super(message, cause);
  }
}
