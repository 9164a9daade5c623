/**
 * The operations that a storage medium must offer so that versions can be read from it and
 * published to it.
 */
@NullMarked
package io.idlalayer.middleware.models.storage;

import org.jspecify.annotations.NullMarked;
