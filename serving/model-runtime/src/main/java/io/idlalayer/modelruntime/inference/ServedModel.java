package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.modelruntime.serve.Predictor;

/**
 * A model for which a server answers requests.
 *
 * @param name name in the paths of the server: letters, digits, dot, dash and underscore, at most
 *     120, the first one a letter or digit
 * @param subscriber subscriber that keeps the model on its newest version; the server does not
 *     close it
 */
public record ServedModel(String name, ModelSubscriber<? extends Predictor> subscriber) {}
