/**
 * One off-heap cache per process, shared by all its subtasks. It keeps hot payloads in DRAM, in
 * front of any durable store.
 */
@NullMarked
package io.idlalayer.middleware.cache;

import org.jspecify.annotations.NullMarked;
