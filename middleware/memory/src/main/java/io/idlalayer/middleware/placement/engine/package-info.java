/** The engine that carries out what placement policies decide and runs kernels on the result. */
@NullMarked
package io.idlalayer.middleware.placement.engine;

import org.jspecify.annotations.NullMarked;
