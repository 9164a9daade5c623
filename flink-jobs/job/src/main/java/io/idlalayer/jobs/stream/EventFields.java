package io.idlalayer.jobs.stream;

import java.io.Serializable;

/** Writes the fields of a stream's elements as an application names them. */
@FunctionalInterface
public interface EventFields<T> extends Serializable {
  /** Writes the fields of an element. */
  void write(T element, EventWriter to);

  /** Returns whether an element takes back the label of the event with its id. */
  default boolean withdraws(T element) {
    return false;
  }
}
