package io.idlalayer.middleware.placement.api;

/** Why a policy acts. */
public enum Reason {
  /** A kernel uses the object next. */
  ARGUMENT,
  /** A new object starts on the slow device and is copied to the fast one, as a cache does. */
  COMPULSORY_MISS,
  /** What the kernel creates needs the space. */
  OUTPUT_SPACE,
  /** Leaving will be free later. */
  WRITE_AHEAD,
  /** A plan has the object leave until its backward pass. */
  OFFLOAD,
  /** A plan has the object return before its backward pass. */
  PREFETCH,
  /** The owner has given the object up. */
  RETIRED,
  /** A collection has found the object given up. */
  COLLECTED,
  /** Free space is scattered. */
  FRAGMENTED,
  /** The arguments are too large, or of too little use, to be fetched whole. */
  STREAMED
}
