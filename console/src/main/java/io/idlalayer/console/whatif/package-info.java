/** What each update rule would have cost on the arrivals of a learner. */
@NullMarked
package io.idlalayer.console.whatif;

import org.jspecify.annotations.NullMarked;
