/** Storage of versions in a folder. */
@NullMarked
package io.idlalayer.middleware.models.storage.folder;

import org.jspecify.annotations.NullMarked;
