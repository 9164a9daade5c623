/**
 * Makes one model from the models that the partitions of an application learn. It decides which
 * contributions a round takes, and publishes the resulting version. The package does not depend on
 * Flink; an operator of the job calls it.
 */
@NullMarked
package io.idlalayer.jobs.mixing;

import org.jspecify.annotations.NullMarked;
