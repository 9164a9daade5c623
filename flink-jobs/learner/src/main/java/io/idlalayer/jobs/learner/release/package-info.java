/**
 * The choice of the version that serves: new models are compared with the baseline, held, refused
 * and rolled back, and the pins of users are followed. Start with {@link
 * io.idlalayer.jobs.learner.release.Release}; {@link
 * io.idlalayer.jobs.learner.release.ReleaseCycle} is the table of the newest model's states.
 */
@NullMarked
package io.idlalayer.jobs.learner.release;

import org.jspecify.annotations.NullMarked;
