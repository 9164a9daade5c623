package io.idlalayer.modelruntime.inference;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks.
 *
 * @param id of the request, to be returned; null for none
 * @param inputs at least one, each name once
 * @param outputs names of those that it wants; empty for all
 */
record InferenceRequest(@Nullable String id, List<Tensor> inputs, List<String> outputs) {}
