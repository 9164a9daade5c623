/** What a network was compiled to: its layers, parameters and tensors, without kernels. */
@NullMarked
package io.idlalayer.modelcontroller.engine.compile.plan;

import org.jspecify.annotations.NullMarked;
