/**
 * The parts with which a learner forgets samples: the log of its trainings, earlier models from
 * which it can train again, and the requests. This package decides which updates are trained again;
 * the package {@code learner.update} trains them.
 */
@NullMarked
package io.idlalayer.jobs.learner.forget;

import org.jspecify.annotations.NullMarked;
