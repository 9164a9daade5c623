/**
 * The way of an update: decided, trained, accepted, passed on. Start with {@link
 * io.idlalayer.jobs.learner.update.UpdatePipeline}; {@link
 * io.idlalayer.jobs.learner.update.UpdateCycle} is the table of an update's states.
 */
@NullMarked
package io.idlalayer.jobs.learner.update;

import org.jspecify.annotations.NullMarked;
