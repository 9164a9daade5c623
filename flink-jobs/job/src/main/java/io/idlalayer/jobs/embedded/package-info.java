/** Everything in one process: broker, Flink and the input. */
@NullMarked
package io.idlalayer.jobs.embedded;

import org.jspecify.annotations.NullMarked;
