/**
 * A read-through cache of the files of versions, in a folder that the processes of a host share:
 * the first process that needs a file reads it from its source, and the others read it from the
 * folder.
 */
@NullMarked
package io.idlalayer.middleware.models.storage.cache;

import org.jspecify.annotations.NullMarked;
