/**
 * The metrics of predicted classes and targets. Accumulators add up answers in bounded memory, can
 * be merged, and can be written to the state; {@link
 * io.idlalayer.modelcontroller.quality.metrics.ClassMeasures} and {@link
 * io.idlalayer.modelcontroller.quality.metrics.TargetMeasures} hold all of a task. Numbers count as
 * they come: nothing is scaled or cut here.
 */
@NullMarked
package io.idlalayer.modelcontroller.quality.metrics;

import org.jspecify.annotations.NullMarked;
