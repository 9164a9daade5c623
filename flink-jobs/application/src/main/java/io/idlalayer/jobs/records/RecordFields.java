package io.idlalayer.jobs.records;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.path.FoundFields;

/** Finds the declared fields in records of one schema. Confined to one thread. */
interface RecordFields {
  /**
   * Finds the fields of a record.
   *
   * @param event bytes with the record
   * @param from index at which the record begins; it ends at the end of the bytes
   * @param found receives the fields; empty before the call
   * @throws MalformedSampleException if the bytes are not a record of the schema. Other exceptions
   *     are never thrown, whatever the bytes are
   */
  void read(byte[] event, int from, FoundFields found) throws MalformedSampleException;

  /**
   * Returns the type that the schema has at the place of a declared field, for a message such as
   * "has string at 'user.name'".
   */
  String described(String field);
}
