/** The what-if comparison: the costs of each update rule on the arrivals of a learner. */
@NullMarked
package io.idlalayer.console.whatif;

import org.jspecify.annotations.NullMarked;
