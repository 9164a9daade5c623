/** Storage of versions in an object store, behind a port of a few requests. */
@NullMarked
package io.idlalayer.middleware.models.storage.object;

import org.jspecify.annotations.NullMarked;
