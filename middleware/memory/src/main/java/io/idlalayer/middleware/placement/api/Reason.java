package io.idlalayer.middleware.placement.api;

/** Why a policy acts. */
public enum Reason {
  /** A kernel uses the object next. */
  ARGUMENT,
  /** A new object starts on the slow device and is copied to the fast one, as a cache does. */
  COMPULSORY_MISS,
  /** The outputs of a kernel need the space. */
  OUTPUT_SPACE,
  /** The object can then leave without a copy. */
  WRITE_AHEAD,
  /** A plan has the object leave until its backward pass. */
  OFFLOAD,
  /** A plan has the object return before its backward pass. */
  PREFETCH,
  /** The object was retired. */
  RETIRED,
  /** A collection has found that the object was retired. */
  COLLECTED,
  /** Free space is scattered. */
  FRAGMENTED,
  /** The arguments are too large, or of too little use, to be fetched whole. */
  STREAMED
}
