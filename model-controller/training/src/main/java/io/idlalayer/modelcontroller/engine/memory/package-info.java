/** The memories of networks' tensors: in DRAM, or placed in a tiered memory by a policy. */
@NullMarked
package io.idlalayer.modelcontroller.engine.memory;

import org.jspecify.annotations.NullMarked;
