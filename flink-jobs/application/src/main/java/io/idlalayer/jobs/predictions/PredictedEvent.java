package io.idlalayer.jobs.predictions;

/**
 * A labelled event with the prediction for it, made before a model was trained on it.
 *
 * @param partition partition of the input topic from which the event was read
 * @param offset offset of the event in the partition; for an event in parts, the offset of the part
 *     that completed it
 * @param id the event's own id; "" if there is none
 * @param label class index or target
 * @param weight importance weight
 * @param update number of the update that trained the model; 0 if nothing was predicted
 * @param predicted most probable class index, or predicted target; NaN if nothing was predicted
 * @param probabilities probability of each class, or only that of the label if there are many
 *     classes; empty for a target, and if nothing was predicted
 * @param loss loss of the prediction, as it counts in the report; NaN if nothing was predicted
 * @param reason why nothing was predicted; "" if there is a prediction
 */
public record PredictedEvent(
    int partition,
    long offset,
    String id,
    double label,
    double weight,
    long update,
    double predicted,
    double[] probabilities,
    double loss,
    String reason) {}
