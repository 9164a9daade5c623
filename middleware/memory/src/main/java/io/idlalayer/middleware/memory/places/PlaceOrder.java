package io.idlalayer.middleware.memory.places;

/** Order in which the places of a slow device are used. */
public enum PlaceOrder {
  /** By the measured time of writing and reading a MiB. */
  COST,
  /**
   * Places that can only be copied, which are those in other processes, by their cost, and then the
   * local ones. It is the order of UniRedl (Rang 2021, chapter 7), and of use where the local
   * device or its page cache is needed for something else.
   */
  LENT_FIRST
}
