/** The client of a schema registry, from which the schemas of Avro and Protobuf events come. */
@NullMarked
package io.idlalayer.jobs.registry;

import org.jspecify.annotations.NullMarked;
