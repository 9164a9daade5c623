package io.idlalayer.jobs.records;

import io.idlalayer.jobs.registry.UnknownSchemaException;

/** Reads schemas of one format and creates the readers of their records. Confined to one thread. */
interface WriterSchemas {
  /**
   * Returns the reader of the records that begin with an id; it reads the part after the id.
   *
   * @throws UnknownSchemaException if there is no such schema, or it cannot be used
   * @throws io.idlalayer.jobs.registry.RegistryUnavailableException if the registry does not answer
   *     this
   */
  RecordFields byId(int id) throws UnknownSchemaException;
}
