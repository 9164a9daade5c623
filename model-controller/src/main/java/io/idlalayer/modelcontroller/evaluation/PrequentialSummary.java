package io.idlalayer.modelcontroller.evaluation;

/**
 * Test-then-train quality. Figures of the other task are 0.
 *
 * @param scored samples scored before they were trained
 * @param unscored samples the scorer had no time for or failed on, and targets without a finite
 *     prediction
 * @param perplexity exp(logLoss)
 * @param noChangeAccuracy of predicting the label before, on the scored samples
 * @param majorityAccuracy of predicting the most frequent label so far, on the scored samples
 * @param recentAccuracy accuracy on the last 1,000 scored samples
 */
public record PrequentialSummary(
    long scored,
    long unscored,
    double accuracy,
    double logLoss,
    double perplexity,
    double noChangeAccuracy,
    double majorityAccuracy,
    double meanAbsoluteError,
    double rootMeanSquaredError,
    double noChangeMeanAbsoluteError,
    double recentAccuracy) {}
