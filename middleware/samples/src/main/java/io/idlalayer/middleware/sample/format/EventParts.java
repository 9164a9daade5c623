package io.idlalayer.middleware.sample.format;

/** The setting of whether several events with the same id can form one sample together. */
public enum EventParts {
  /** Each event is a whole sample and has all needed values. Used for predictions. */
  WHOLE,
  /**
   * An event with an id can lack features or have only a label, and can complete an earlier or
   * later event with the same id. Used for the events of the input.
   */
  JOINED
}
