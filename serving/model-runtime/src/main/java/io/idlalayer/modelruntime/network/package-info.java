/** Networks in plain Java: how a version's file is read, and how the network predicts. */
@NullMarked
package io.idlalayer.modelruntime.network;

import org.jspecify.annotations.NullMarked;
