package io.idlalayer.middleware.sample.format;

import java.io.Closeable;
import java.io.IOException;

/** Reads a file record by record in memory that does not grow with it. Confined to one thread. */
public interface RecordReader extends Closeable {
  /**
   * Advances to the next record.
   *
   * @return false at the end of the file
   * @throws IOException naming the file and the place if it is damaged or cut off
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
