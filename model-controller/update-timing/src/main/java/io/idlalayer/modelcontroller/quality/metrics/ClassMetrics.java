package io.idlalayer.modelcontroller.quality.metrics;

import org.jspecify.annotations.Nullable;

/**
 * The metrics of predicted classes on some samples, except accuracy and log loss. A number is null
 * if it is undefined, for instance because all labels are of one class.
 *
 * @param model metrics of the model
 * @param noChange metrics of predicting the previous label
 * @param majority metrics of predicting the most frequent label so far
 * @param kappaM accuracy beyond the accuracy of the majority reference, at most 1
 * @param kappaTemporal accuracy beyond the accuracy of the no-change reference, at most 1
 * @param baseRateLogLoss mean log loss, in nats, of always predicting for each class its share of
 *     these samples
 * @param normalizedEntropy mean log loss of the model, divided by {@code baseRateLogLoss}: below 1
 *     if the model predicts better than the base rate
 * @param auc area under the ROC curve, 0 to 1; null unless there are two classes
 * @param aucError largest possible error of {@code auc}
 * @param calibration predicted number of outcomes, divided by the actual number. With two classes,
 *     an outcome is a label of the second class; with more classes, it is a right prediction
 * @param top3 share of samples whose class was among the 3 most probable; null with 3 classes or
 *     fewer
 * @param top5 share of samples whose class was among the 5 most probable; null with 5 classes or
 *     fewer
 */
public record ClassMetrics(
    LabelMetrics model,
    LabelMetrics noChange,
    LabelMetrics majority,
    @Nullable Double kappaM,
    @Nullable Double kappaTemporal,
    double baseRateLogLoss,
    @Nullable Double normalizedEntropy,
    @Nullable Double auc,
    @Nullable Double aucError,
    @Nullable Double calibration,
    @Nullable Double top3,
    @Nullable Double top5) {}
