/**
 * The arithmetic on the numbers of embedding rows, in plain Java or with the JVM's Vector API; both
 * give the same bits.
 */
@NullMarked
package io.idlalayer.middleware.embedding.loops;

import org.jspecify.annotations.NullMarked;
