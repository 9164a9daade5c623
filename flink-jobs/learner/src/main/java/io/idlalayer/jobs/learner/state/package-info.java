/**
 * What all parts of a learner stand on: who it is, its time, its durable state with what changes of
 * it when, its counters and its place in the input, and the ports through which it is saved and
 * said what happens.
 */
@NullMarked
package io.idlalayer.jobs.learner.state;

import org.jspecify.annotations.NullMarked;
