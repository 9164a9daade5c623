package io.idlalayer.jobs.learner.publish;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one attempt to publish a model.
 *
 * @param arrivals arrivals of the new samples whose training the version publishes
 * @param published the version; null if the attempt failed
 * @param failure a readable sentence; null if the attempt succeeded
 */
public record PublicationOutcome(
    AcceptedModel model,
    UnpublishedArrivals arrivals,
    @Nullable ModelCheckpoint published,
    @Nullable String failure) {}
