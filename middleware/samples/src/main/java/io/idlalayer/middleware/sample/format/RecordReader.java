package io.idlalayer.middleware.sample.format;

import java.io.Closeable;
import java.io.IOException;

/**
 * Reads a file record by record, with memory that does not grow with the size of the file. Confined
 * to one thread.
 */
public interface RecordReader extends Closeable {
  /**
   * Advances to the next record.
   *
   * @return false at the end of the file
   * @throws IOException if the file is damaged or cut off; the message names the file and the place
   */
  boolean next() throws IOException;

  /** Returns the current record as the bytes of an event, which a producer can send unchanged. */
  byte[] record();

  /** Returns the line or image number of the current record, from 1. */
  long position();

  /** Returns the place of the current record in words, such as "line 7"; "" if it has none. */
  default String place() {
    return "";
  }
}
