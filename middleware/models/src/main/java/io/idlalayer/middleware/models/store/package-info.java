/**
 * Reads, verifies and publishes versions of models: immutable folders, manifests and the atomic
 * pointer.
 */
@NullMarked
package io.idlalayer.middleware.models.store;

import org.jspecify.annotations.NullMarked;
