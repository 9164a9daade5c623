/** What a training costs: regression of its duration on its size. */
@NullMarked
package io.idlalayer.modelcontroller.cost;

import org.jspecify.annotations.NullMarked;
