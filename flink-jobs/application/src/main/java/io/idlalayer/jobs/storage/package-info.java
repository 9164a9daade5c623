/**
 * What is wrong with a folder that cannot be used: a full disk, a file system that can only be
 * read, rights, a device that fails. Everything that writes files tells it in these words.
 */
@NullMarked
package io.idlalayer.jobs.storage;

import org.jspecify.annotations.NullMarked;
