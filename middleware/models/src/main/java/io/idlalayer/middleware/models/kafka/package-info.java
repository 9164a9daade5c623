/** Notices of new versions, and heartbeats of those who serve them, on compacted Kafka topics. */
@NullMarked
package io.idlalayer.middleware.models.kafka;

import org.jspecify.annotations.NullMarked;
