package io.idlalayer.middleware.memory.object;

/** Kinds of leases that are held on an object. */
public enum ObjectAccess {
  /** No lease: the object's bytes may not be touched. */
  NOT_BUSY,
  /** One or more leases to read. */
  READ_ONLY,
  /** One lease to write. */
  READ_WRITE
}
