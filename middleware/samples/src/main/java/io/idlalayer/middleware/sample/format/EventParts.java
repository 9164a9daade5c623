package io.idlalayer.middleware.sample.format;

/** The setting that says whether several events with one id may form a sample together. */
public enum EventParts {
  /** Each event stands for itself: it has all that is needed. So it is for predictions. */
  WHOLE,
  /**
   * An event with an id may lack features, or have only a label, and complete an earlier or a later
   * event with its id. So it is for the events of the input.
   */
  JOINED
}
