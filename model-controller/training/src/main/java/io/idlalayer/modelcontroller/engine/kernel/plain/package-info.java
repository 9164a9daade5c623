/**
 * The kernel library in plain Java, for machines without oneDNN and for layers that oneDNN refuses.
 */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel.plain;

import org.jspecify.annotations.NullMarked;
