package io.idlalayer.jobs.learner.state;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.LearnerKey;

/**
 * Which learner it is.
 *
 * @param settings of its application
 */
public record LearnerIdentity(LearnerKey key, ApplicationSettings settings) {}
