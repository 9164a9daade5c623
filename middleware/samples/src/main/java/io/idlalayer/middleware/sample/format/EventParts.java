package io.idlalayer.middleware.sample.format;

/** Whether several events with one id may make up a sample together. */
public enum EventParts {
  /** Each event stands for itself: it has all that is needed. So it is for predictions. */
  WHOLE,
  /**
   * An event with an id may lack features, or have only a label, and complete an earlier or a later
   * event with its id. So it is for the events of the input.
   */
  JOINED
}
