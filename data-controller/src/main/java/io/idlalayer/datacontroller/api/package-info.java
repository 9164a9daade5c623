/**
 * The entrance to the data controller, which decides what each sample is worth: its life stage,
 * when it is evicted, and which updates train it.
 */
@NullMarked
package io.idlalayer.datacontroller.api;

import org.jspecify.annotations.NullMarked;
