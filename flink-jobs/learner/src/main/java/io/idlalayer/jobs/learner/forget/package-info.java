/**
 * What a learner needs to forget samples: the log of its trainings, earlier models to train from
 * again, and the requests. Decides what is trained again; {@code learner.update} trains it.
 */
@NullMarked
package io.idlalayer.jobs.learner.forget;

import org.jspecify.annotations.NullMarked;
