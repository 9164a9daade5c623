/** Notices of new versions on a compacted Kafka topic. */
@NullMarked
package io.idlalayer.middleware.models.kafka;

import org.jspecify.annotations.NullMarked;
