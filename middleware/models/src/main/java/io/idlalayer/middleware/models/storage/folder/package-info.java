/** A folder as the medium of versions. */
@NullMarked
package io.idlalayer.middleware.models.storage.folder;

import org.jspecify.annotations.NullMarked;
