/** The result of compiling a network: its layers, parameters and tensors, without kernels. */
@NullMarked
package io.idlalayer.modelcontroller.engine.compile.plan;

import org.jspecify.annotations.NullMarked;
