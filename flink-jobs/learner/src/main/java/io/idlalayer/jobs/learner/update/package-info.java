/**
 * The steps of an update: it is decided, trained, accepted and passed on to the publication. Start
 * with {@link io.idlalayer.jobs.learner.update.UpdatePipeline}; {@link
 * io.idlalayer.jobs.learner.update.UpdateCycle} is the table of an update's states.
 */
@NullMarked
package io.idlalayer.jobs.learner.update;

import org.jspecify.annotations.NullMarked;
