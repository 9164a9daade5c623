/** What several placement policies keep. */
@NullMarked
package io.idlalayer.middleware.placement.policies;

import org.jspecify.annotations.NullMarked;
