package io.idlalayer.jobs.records;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.path.FoundFields;

/** Finds the declared fields in records of one schema. Confined to one thread. */
interface RecordFields {
  /**
   * Finds the fields of a record.
   *
   * @param event bytes with the record
   * @param from where it begins; it ends with the bytes
   * @param found where the fields are collected; empty before
   * @throws MalformedSampleException if the bytes are not a record of the schema: never any other
   *     exception, whatever the bytes are
   */
  void read(byte[] event, int from, FoundFields found) throws MalformedSampleException;

  /**
   * Returns what the schema has in place of a declared field, for a message such as "has string at
   * 'user.name'".
   */
  String described(String field);
}
