/** Decoders of events in Avro and Protobuf, whose fields are read by schemas of their writers. */
@NullMarked
package io.idlalayer.jobs.records;

import org.jspecify.annotations.NullMarked;
