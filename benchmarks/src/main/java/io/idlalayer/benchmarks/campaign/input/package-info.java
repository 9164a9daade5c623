/**
 * Hostile and odd inputs, drawn from a seed, with what a run must make of them. Written from the
 * documents; shares no code with the product.
 */
@NullMarked
package io.idlalayer.benchmarks.campaign.input;

import org.jspecify.annotations.NullMarked;
