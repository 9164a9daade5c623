package io.idlalayer.middleware.memory.device;

/** What a device is to the policies; the lower, the nearer to the processor. */
public enum DeviceKind {
  /** DRAM. */
  FAST,
  /** Persistent memory, CXL memory or a mapped file, accessed by loads and stores. */
  SLOW,
  /** Memory of another node. */
  REMOTE,
  /** A block device. */
  SSD
}
