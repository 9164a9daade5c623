/**
 * The hot cache across processes: each process has one mapped file, which only this process writes,
 * and reads the files of other processes on the host.
 */
@NullMarked
package io.idlalayer.middleware.cache.shared;

import org.jspecify.annotations.NullMarked;
