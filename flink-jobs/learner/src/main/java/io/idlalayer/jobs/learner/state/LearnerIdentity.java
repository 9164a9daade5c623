package io.idlalayer.jobs.learner.state;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;

/**
 * The identity of a learner.
 *
 * @param settings settings of its application
 */
public record LearnerIdentity(LearnerKey key, ApplicationSettings settings) {}
