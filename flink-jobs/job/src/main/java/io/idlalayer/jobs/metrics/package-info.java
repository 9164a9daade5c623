/**
 * The output of learners as metrics, spans and events of Flink. {@link
 * io.idlalayer.jobs.metrics.MetricCatalog} declares all metrics.
 */
@NullMarked
package io.idlalayer.jobs.metrics;

import org.jspecify.annotations.NullMarked;
