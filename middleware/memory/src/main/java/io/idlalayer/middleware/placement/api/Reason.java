package io.idlalayer.middleware.placement.api;

/** Reasons of a policy for an action. */
public enum Reason {
  /** The next kernel uses the object. */
  ARGUMENT,
  /** A new object starts on the slow device and is copied to the fast one, as a cache does. */
  COMPULSORY_MISS,
  /** The outputs of a kernel need the space. */
  OUTPUT_SPACE,
  /** Copying the object to the slow device now lets it leave the fast one later without a copy. */
  WRITE_AHEAD,
  /** A plan removes the object from the fast device until its backward pass. */
  OFFLOAD,
  /** A plan brings the object back to the fast device before its backward pass. */
  PREFETCH,
  /** The owner retired the object. */
  RETIRED,
  /** A garbage collection found that the object was retired. */
  COLLECTED,
  /** The free space of the device is scattered. */
  FRAGMENTED,
  /**
   * The slow arguments are too large, or used too little, to be fetched whole; they pass through
   * buffers.
   */
  STREAMED,
  /**
   * Kernels cannot access the slow device, so the object is on the fast one while a kernel uses it.
   */
  STAGED,
  /** Waiting for the object to arrive on the fast device would take longer than to read it slow. */
  LATE
}
