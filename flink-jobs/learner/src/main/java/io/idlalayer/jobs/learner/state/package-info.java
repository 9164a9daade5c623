/**
 * The common base of all parts of a learner: its identity, its clock, its durable state and the
 * changes of that, its counters and input positions, and the ports through which state is saved and
 * events are reported.
 */
@NullMarked
package io.idlalayer.jobs.learner.state;

import org.jspecify.annotations.NullMarked;
