/**
 * Published model versions: immutable folders, manifests, the atomic pointer, and the subscriber.
 */
@NullMarked
package io.idlalayer.middleware.checkpoint;

import org.jspecify.annotations.NullMarked;
