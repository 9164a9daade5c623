/**
 * Rules for Flink's REST server. The server refuses requests from pages of other sites, requests
 * with an unknown {@code Host}, and requests that change something but do not have the token of the
 * cluster.
 */
@NullMarked
package io.idlalayer.jobs.rest;

import org.jspecify.annotations.NullMarked;
