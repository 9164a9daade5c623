package io.idlalayer.jobs.stream;

import io.idlalayer.middleware.sample.MalformedSampleException;
import java.io.Serializable;

/** Writes the fields of a stream's elements as an application names them. */
@FunctionalInterface
public interface EventFields<T> extends Serializable {
  /**
   * Writes the fields of an element.
   *
   * @throws MalformedSampleException if a value is none that a field may have; the element then
   *     becomes a dead letter
   */
  void write(T element, EventWriter to) throws MalformedSampleException;

  /** Returns whether an element takes back the label of the event with its id. */
  default boolean withdraws(T element) {
    return false;
  }
}
