package io.idlalayer.middleware.memory.device;

/** Kinds of devices, the one nearest to the processor first. */
public enum DeviceKind {
  /** DRAM. */
  FAST,
  /**
   * Persistent memory, CXL memory or a mapped file, accessed by loads and stores; or memory of
   * other processes or a file past the page cache, which is only copied.
   */
  SLOW
}
