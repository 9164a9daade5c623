package io.idlalayer.jobs.predictions;

/**
 * A labelled event with what was predicted for it before it was trained.
 *
 * @param partition partition of the input topic from which the event was read
 * @param offset its offset there; of an event in parts, that of the part that completed it
 * @param id the event's own id; "" if it has none
 * @param label class index or target
 * @param weight importance weight
 * @param update number of the update that trained the model; 0 if nothing was predicted
 * @param predicted most probable class index, or predicted target; NaN if nothing was predicted
 * @param probabilities probability of each class, or if there are many only that of the label;
 *     empty for a target, and if nothing was predicted
 * @param loss loss of the prediction, as it counts in the report; NaN if nothing was predicted
 * @param reason why nothing was predicted; "" if something was
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
