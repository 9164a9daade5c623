package io.idlalayer.jobs.stream;

import java.io.Serializable;

/** Writes the fields of a stream's elements, with the names that the application file declares. */
@FunctionalInterface
public interface EventFields<T> extends Serializable {
  /** Writes the fields of an element. */
  void write(T element, EventWriter to);

  /** Returns whether an element takes back the label of the event that has the same id. */
  default boolean withdraws(T element) {
    return false;
  }
}
