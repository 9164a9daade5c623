/** Notices of new versions over a compacted Kafka topic. */
@NullMarked
package io.idlalayer.middleware.checkpoint.kafka;

import org.jspecify.annotations.NullMarked;
