/** The kernel library of oneDNN, called through JavaCPP on addresses outside the heap. */
@NullMarked
package io.idlalayer.modelcontroller.engine.kernel.onednn;

import org.jspecify.annotations.NullMarked;
