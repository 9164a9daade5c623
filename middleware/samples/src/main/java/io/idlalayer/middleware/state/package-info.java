/**
 * The binary form of every saved state: a {@link io.idlalayer.middleware.state.StateFormat} has a
 * name and a version, its {@link io.idlalayer.middleware.state.StateWriter} writes fields under
 * tags, and its {@link io.idlalayer.middleware.state.StateReader} finds them by tag.
 *
 * <p>Classes with state have methods {@code byte[] snapshot()} and {@code restore(byte[])};
 * immutable classes have a static {@code restore}. In each module, {@code StateFormatsTest} pins
 * the bytes of every format.
 */
@NullMarked
package io.idlalayer.middleware.state;

import org.jspecify.annotations.NullMarked;
