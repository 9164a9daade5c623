package io.idlalayer.datacontroller.store;

import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.LifeStage;

/**
 * What is known of a stored sample besides its payload.
 *
 * @param idHash 64-bit hash of the event's own id, 0 when it has none; joins late labels
 * @param frequency how often the content arrived, at least 1
 * @param contribution smoothed raw contribution (loss units), at least 0
 * @param score classification score of the last evaluation, 0..1
 * @param loss last known loss; NaN when never measured
 * @param evaluations how often its contribution was measured
 * @param trainings how many updates trained on it
 * @param noiseStreak evaluations in a row with an outlying loss and no gain
 * @param arrivedAtMillis when it became Newborn (epoch milliseconds of the operator's clock)
 * @param payloadBytes size of the encoded sample
 * @param labeled whether it can be trained
 */
public record SampleMetadata(
    ContentHash contentHash,
    long idHash,
    LifeStage stage,
    int frequency,
    float contribution,
    float score,
    float loss,
    int evaluations,
    int trainings,
    int noiseStreak,
    long arrivedAtMillis,
    int payloadBytes,
    boolean labeled) {}
