/**
 * Steps of training as data: recorded once, kept, replayed under any policy without computing
 * anything, and bounded from below.
 */
@NullMarked
package io.idlalayer.middleware.placement.trace;

import org.jspecify.annotations.NullMarked;
