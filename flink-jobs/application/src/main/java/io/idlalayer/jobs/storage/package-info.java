/**
 * Describes why a folder cannot be used: a full disk, a read-only file system, missing rights, or a
 * failing device. All code that writes files uses these descriptions.
 */
@NullMarked
package io.idlalayer.jobs.storage;

import org.jspecify.annotations.NullMarked;
