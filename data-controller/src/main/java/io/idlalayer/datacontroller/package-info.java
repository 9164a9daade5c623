/** Decides what a sample is worth: its life stage, its place in the store, its turn in training. */
@NullMarked
package io.idlalayer.datacontroller;

import org.jspecify.annotations.NullMarked;
