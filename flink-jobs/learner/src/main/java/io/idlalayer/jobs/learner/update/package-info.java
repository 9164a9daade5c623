/**
 * The way of an update: decided, trained, accepted, handed on. Start with {@link
 * io.idlalayer.jobs.learner.update.UpdatePipeline}; where an update stands is the table {@link
 * io.idlalayer.jobs.learner.update.UpdateCycle}.
 */
@NullMarked
package io.idlalayer.jobs.learner.update;

import org.jspecify.annotations.NullMarked;
