/**
 * Which version serves: new models are compared with the baseline, held, refused and rolled back,
 * and the pins of people are followed. Start with {@link
 * io.idlalayer.jobs.learner.release.Release}; where the newest model stands is the table {@link
 * io.idlalayer.jobs.learner.release.ReleaseCycle}.
 */
@NullMarked
package io.idlalayer.jobs.learner.release;

import org.jspecify.annotations.NullMarked;
