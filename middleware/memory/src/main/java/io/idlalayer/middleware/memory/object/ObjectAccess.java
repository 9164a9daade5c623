package io.idlalayer.middleware.memory.object;

/** What leases are held on an object. */
public enum ObjectAccess {
  /** None: its bytes may not be touched. */
  NOT_BUSY,
  /** One or more readers. */
  READ_ONLY,
  /** One writer. */
  READ_WRITE
}
