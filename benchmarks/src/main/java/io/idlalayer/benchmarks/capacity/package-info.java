/**
 * The experiment of MC-DLA (Kwon 2018): eight networks on six designs of a node with eight devices.
 * SIMULATED: {@code idla bench capacity}.
 */
@NullMarked
package io.idlalayer.benchmarks.capacity;

import org.jspecify.annotations.NullMarked;
