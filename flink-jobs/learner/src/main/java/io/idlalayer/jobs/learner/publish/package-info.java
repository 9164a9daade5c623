/**
 * The accepted model of a learner and its publication. Start with {@link
 * io.idlalayer.jobs.learner.publish.Publication}; {@link
 * io.idlalayer.jobs.learner.publish.PublishedModels} is the interface to the place of the models.
 */
@NullMarked
package io.idlalayer.jobs.learner.publish;

import org.jspecify.annotations.NullMarked;
