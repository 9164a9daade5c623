/** The placement policies that an application file may name. */
@NullMarked
package io.idlalayer.middleware.placement;

import org.jspecify.annotations.NullMarked;
