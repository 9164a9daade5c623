/** The placement policies by their names. */
@NullMarked
package io.idlalayer.middleware.placement;

import org.jspecify.annotations.NullMarked;
