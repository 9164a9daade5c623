package io.idlalayer.middleware.memory.device;

/** Kinds of devices, the one nearest to the processor first. */
public enum DeviceKind {
  /** DRAM. */
  FAST,
  /** Persistent memory, CXL memory or a mapped file, accessed by loads and stores. */
  SLOW
}
