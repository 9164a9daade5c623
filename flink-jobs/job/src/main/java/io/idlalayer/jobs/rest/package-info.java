/**
 * What Flink's REST server answers: no page of another site, no unknown {@code Host}, and no
 * request that changes something, unless it has the token of the cluster.
 */
@NullMarked
package io.idlalayer.jobs.rest;

import org.jspecify.annotations.NullMarked;
