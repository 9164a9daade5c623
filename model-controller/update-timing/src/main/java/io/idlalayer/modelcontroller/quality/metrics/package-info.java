/**
 * The metrics of predicted classes and targets. Accumulators add up answers in bounded memory, can
 * be merged, and can be written to the state; {@link
 * io.idlalayer.modelcontroller.quality.metrics.ClassMeasures} and {@link
 * io.idlalayer.modelcontroller.quality.metrics.TargetMeasures} have all metrics of a task. Values
 * are used unchanged: this package neither scales nor clamps them.
 */
@NullMarked
package io.idlalayer.modelcontroller.quality.metrics;

import org.jspecify.annotations.NullMarked;
