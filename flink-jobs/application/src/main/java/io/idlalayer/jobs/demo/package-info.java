/**
 * The built-in demonstration: a stream that drifts, repeats some events and has some wrong labels.
 */
@NullMarked
package io.idlalayer.jobs.demo;

import org.jspecify.annotations.NullMarked;
