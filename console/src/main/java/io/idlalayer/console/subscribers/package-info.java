/** Who serves what, as subscribers report themselves. */
@NullMarked
package io.idlalayer.console.subscribers;

import org.jspecify.annotations.NullMarked;
