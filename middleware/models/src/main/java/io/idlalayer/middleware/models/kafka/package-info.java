/**
 * Notices of new versions, and heartbeats of the subscribers that serve them, on compacted Kafka
 * topics.
 */
@NullMarked
package io.idlalayer.middleware.models.kafka;

import org.jspecify.annotations.NullMarked;
