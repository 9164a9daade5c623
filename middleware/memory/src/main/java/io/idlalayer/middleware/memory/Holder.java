package io.idlalayer.middleware.memory;

/**
 * Something that holds objects which cannot be seen from outside: a class with fields, a closure.
 * {@link Reach} asks it.
 */
@FunctionalInterface
public interface Holder {
  /** Objects, arrays, records, collections or further holders that this one holds. */
  Iterable<?> held();
}
