package io.idlalayer.middleware.sample.format;

import java.io.Closeable;
import java.io.IOException;

/** Reads a file record by record in memory that does not grow with it. Confined to one thread. */
public interface RecordReader extends Closeable {
  /**
   * Moves to the next record.
   *
   * @return false at the end of the file
   * @throws IOException naming the file and the place if it is damaged or cut off
   */
  boolean next() throws IOException;

  /** Returns the record as an event: bytes that a producer can send as they are. */
  byte[] record();

  /** 1-based line or image number of the record. */
  long position();
}
