/**
 * The hot cache across processes: each process has one mapped file that only it writes, and reads
 * those of its neighbours on the host.
 */
@NullMarked
package io.idlalayer.middleware.cache.shared;

import org.jspecify.annotations.NullMarked;
